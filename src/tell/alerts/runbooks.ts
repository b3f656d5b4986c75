import { readFile } from 'node:fs/promises';
import { ownFile } from '../../lib/process.ts';
import { toShellWord } from '../../lib/words.ts';
import type { Target } from '../../model/target.ts';
import type { AlertRule } from './alert-rule.ts';

/** The page of an alert, as Markdown. */
export const readRunbook = ({ name }: AlertRule): Promise<string> =>
  readFile(ownFile(`docs/alerts/${name}.md`), 'utf8');

/** A text of an alert for any subnet, without its values: `A node of {{ $labels.subnet }} is behind` becomes `A node is behind`. */
export const plainWords = (template: string): string =>
  template
    .replaceAll(/(?: of|(?<=[Ss]ubnet|Engine)) \{\{.*?\}\}/g, '')
    .replaceAll(/\bshard \{\{.*?\}\}/g, 'a shard')
    .replaceAll(/\{\{.*?\}\}/g, 'the subnet');

/** A target's values for the commands of a runbook. URLs come without user info, path and query. */
export interface TargetFacts {
  /** The container's name: from the inventory, or compose's default. */
  readonly container?: string;
  readonly project?: string;
  readonly service?: string;
  /** Scheme, host and port. */
  readonly address?: string;
  readonly ipc?: string;
  /** The node's data folder on the host, if the inventory names a file in it. */
  readonly folder?: string;
  readonly logFiles: readonly string[];
}

const toOrigin = (url: string | undefined): string | undefined => {
  const origin = URL.parse(url ?? '')?.origin;
  return origin === 'null' ? undefined : origin;
};

const folderOf = (path: string | undefined): string | undefined => /^(.+)\/[^/]+$/.exec(path ?? '')?.[1];

/** Extracts the values that the commands of a runbook need. */
export function toTargetFacts(target: Target): TargetFacts {
  const { container } = target;
  const isNode = target.component === 'node';
  const logFiles = target.logFiles.map(({ path }) => path);
  const ipc = isNode ? target.ipc : undefined;
  const url = isNode ? target.rpc : 'url' in target ? target.url : undefined;
  const folder = isNode ? (folderOf(ipc) ?? folderOf(logFiles[0])) : undefined;
  const address = toOrigin(url);
  return {
    ...(container !== undefined &&
      ('name' in container
        ? { container: container.name }
        : { container: `${container.project}-${container.service}-1`, ...container })),
    address,
    ipc,
    folder,
    logFiles,
  };
}

/** The ports of the examples, by component. */
const EXAMPLE_PORTS: Readonly<Partial<Record<Target['component'], number>>> = {
  node: 8546,
  stats: 5213,
  frontend: 5214,
  relayer: 5215,
};

/** The service that the examples use for the component; for a node it is subnet2. */
function findExample(markdown: string, component: Target['component']): string | undefined {
  const services = [...markdown.matchAll(/\bgenerated-([a-z0-9]+)-1\b/g)].map(([, service]) => service);
  const own = component === 'node' ? 'subnet2' : component;
  return services.includes(own) ? own : services[0];
}

/** A shell word. Undefined for text that would leave a line or a code span of Markdown. */
function toWord(text: string | undefined): string | undefined {
  return text === undefined || /[\p{C}`]/u.test(text) ? undefined : toShellWord(text);
}

type Replacements = readonly (readonly [RegExp | undefined, string | undefined])[];

function replacementsOf(markdown: string, target: Target): Replacements {
  const facts = toTargetFacts(target);
  const example = findExample(markdown, target.component);
  const port = EXAMPLE_PORTS[target.component];
  return [
    [example === undefined ? undefined : new RegExp(`\\bgenerated-${example}-1\\b`, 'g'), toWord(facts.container)],
    [example === undefined ? undefined : new RegExp(`(?<=\\bup -d )${example}\\b`, 'g'), toWord(facts.service)],
    [/\bgenerated(?=-[a-z0-9]+-1\b)|(?<=\.project=)generated\b/g, toWord(facts.project)],
    [port === undefined ? undefined : new RegExp(`http://127\\.0\\.0\\.1:${port}\\b`, 'g'), toWord(facts.address)],
    [/\bgenerated\/xdcchain\d\/XDC\.ipc\b/g, toWord(facts.ipc)],
    [/\bgenerated\/xdcchain\d(?=\W|$)/g, toWord(facts.folder)],
  ];
}

/** The address of subnetd in the examples. */
const OWN_ADDRESS = /http:\/\/127\.0\.0\.1:10545\b/g;

/**
 * A runbook, as Markdown, in which the examples in code are replaced: by the address of subnetd without a slash at its end, and by the
 * container, the address and the paths of the target. What the inventory does not name stays an example.
 */
export function fillRunbook(
  markdown: string,
  { ownUrl, target }: { readonly ownUrl?: string | undefined; readonly target?: Target | undefined },
): string {
  const replacements: Replacements = [
    [OWN_ADDRESS, toWord(ownUrl)],
    ...(target === undefined ? [] : replacementsOf(markdown, target)),
  ];
  const fill = (code: string): string => {
    const found = replacements.flatMap(([pattern, word]) =>
      pattern === undefined || word === undefined ? [] : [[pattern, word] as const],
    );
    // All at once, so that no inserted value is taken for an example.
    const marks: string[] = [];
    let marked = code;
    for (const [pattern, word] of found) marked = marked.replace(pattern, () => `\uE000${marks.push(word) - 1}\uE001`);
    return marked.replace(/\uE000(\d+)\uE001/g, (_, index) => marks[Number(index)] ?? '');
  };
  return markdown.replace(/^```[\s\S]*?^```|`[^`\n]+`/gm, fill);
}
