import type { Command } from 'commander';
import { type ExitCode, refuse } from './report.ts';

/** A command as a shell completes it. */
interface Node {
  /** The words that lead to it, without the program. */
  readonly path: readonly string[];
  readonly description: string;
  readonly children: readonly Node[];
  /** The long flags, with what they do and whether a value follows. */
  readonly flags: readonly { readonly long: string; readonly what: string; readonly takesValue: boolean }[];
}

function toNode(command: Command, path: readonly string[]): Node {
  const flags = command.options.flatMap(({ long, description, required, optional }) =>
    long ? [{ long, what: description, takesValue: required || optional }] : [],
  );
  return {
    path,
    description: command.description(),
    children: command.commands.map((child) => toNode(child, [...path, child.name()])),
    flags: [...flags, { long: '--help', what: 'print help', takesValue: false }],
  };
}

const flatten = (node: Node): readonly Node[] => [node, ...node.children.flatMap(flatten)];
const nameOf = ({ path }: Node): string => ['subnetd', ...path].join(' ');
const childNames = ({ children }: Node): readonly string[] => children.map(({ path }) => path.at(-1) ?? '');

/** Completes commands and flags; where neither fits, bash completes files. */
function toBash(root: Node): string {
  const all = flatten(root);
  const steps = all.slice(1).map((node) => `'${nameOf(node)}'`);
  const cases = all.map(
    (node) =>
      `    '${nameOf(node)}') commands='${childNames(node).join(' ')}' flags='${node.flags.map(({ long }) => long).join(' ')}' ;;`,
  );
  return `_subnetd() {
  local current=\${COMP_WORDS[COMP_CWORD]} path=subnetd commands= flags= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
      ${steps.join(' | ')}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;
  esac
}
complete -o default -F _subnetd subnetd
`;
}

/** zsh runs the completion of bash. */
const toZsh = (root: Node): string => `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${toBash(root)}`;

const fishQuote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function toFish(root: Node): string {
  const seen = (path: readonly string[]) => path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const lines = flatten(root).flatMap((node) => {
    const { path, children, flags } = node;
    const here = path.length === 0 ? ['__fish_use_subcommand'] : seen(path);
    const notFurther = path.length === 0 || children.length === 0 ? [] : [`not ${seen([childNames(node).join(' ')])}`];
    const when = fishQuote([...here, ...notFurther].join('; and '));
    return [
      ...children.map(
        (child) => `complete -c subnetd -f -n ${when} -a ${child.path.at(-1)} -d ${fishQuote(child.description)}`,
      ),
      ...flags.map(
        ({ long, what, takesValue }) =>
          `complete -c subnetd -n ${when} -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${fishQuote(what)}`,
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (root: Node) => string>> = { bash: toBash, zsh: toZsh, fish: toFish };

/** `subnetd completion SHELL`: a script for the shell that completes the commands and flags of a program. */
export function completion(shell: string, program: Command): ExitCode {
  const toScript = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (toScript === undefined)
    return refuse('subnetd completion', `the shell must be one of ${Object.keys(SHELLS).join(', ')}`);
  process.stdout.write(toScript(toNode(program, [])));
  return 0;
}
