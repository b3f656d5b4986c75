const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WORD = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** Go's escapes, as `%q` writes them, that JSON does not know. */
const toJsonString = (quoted: string): string =>
  quoted.replace(/\\(?:x([0-9a-f]{2})|U([0-9a-f]{8})|([av']))/g, (_, hex?: string, long?: string) => {
    const code = Number.parseInt(hex ?? long ?? '', 16);
    return code <= 0x10ffff ? JSON.stringify(String.fromCodePoint(code)).slice(1, -1) : '?';
  });

/**
 * Parses a value as `XDC attach` prints it (XDC-Subnet internal/jsre/pretty.go). That is like JSON, except that member
 * names are unquoted, and functions or very deep values are bare words. Undefined when the output is nothing of that
 * kind.
 */
export function parseAttachOutput(output: string): unknown {
  const tokens = output.match(TOKEN) ?? [];
  if (output.replace(TOKEN, '').trim() !== '') return undefined;
  const json = tokens.map((token, i) => {
    if (token.startsWith('"')) return toJsonString(token);
    if (/^[{}[\],:]$/.test(token)) return token;
    if (tokens[i + 1] === ':') return JSON.stringify(token);
    // `{...}` and `[...]` replace what is deeper than three levels.
    if (token === '...') return '';
    return WORD.test(token) ? token.toLowerCase() : 'null';
  });
  try {
    return JSON.parse(json.join(''));
  } catch {
    return undefined;
  }
}
