import { execFileSync } from 'node:child_process';
import { RE2JS } from 're2js';

/** The engines that read the published patterns in this process. A pattern is looked for anywhere in the text. */
const ENGINES: Readonly<Record<string, (pattern: string, text: string) => boolean>> = {
  RE2: (pattern, text) => RE2JS.compile(pattern).matcher(text).find(),
  'JavaScript with u': (pattern, text) => new RegExp(pattern, 'u').test(text),
  'JavaScript without u': (pattern, text) => new RegExp(pattern).test(text),
};

/** The engines that do not find the pattern in the text. Rejects what does not compile. */
export const misfitsOf = (pattern: string, text: string): readonly string[] =>
  Object.keys(ENGINES).filter((name) => !ENGINES[name]?.(pattern, text));

const PYTHON = `
import json, re, sys
cases = json.load(sys.stdin)
print(json.dumps([text for case in cases for text in case['texts'] if re.search(case['pattern'], text) is None]))
`;

/** The texts in which Python does not find the pattern. Rejects if a pattern does not compile, or warns. */
export const misfitsInPython = (
  cases: readonly { readonly pattern: string; readonly texts: readonly string[] }[],
): readonly string[] =>
  JSON.parse(
    execFileSync('python3', ['-W', 'error', '-c', PYTHON], { input: JSON.stringify(cases), encoding: 'utf8' }),
  ) as readonly string[];
