import { readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument, visit, YAMLMap } from 'yaml';
import { isRecord } from '../../lib/values.ts';
import {
  type ComposeContext,
  type ComposeService,
  expand,
  toComposeService,
  toMapping,
  variablesIn,
} from './compose-service.ts';
import { readEnvFile } from './env-file.ts';

/** Stand for the tags `!reset` and `!override`, which a value of the document loses on its way to JavaScript. */
const RESET = '\0reset';
const OVERRIDE = '\0override';

/** Keeps the tags of Compose in the values of a document. */
function markTags(document: Document): void {
  visit(document, {
    Pair(_, pair) {
      const tag = isNode(pair.value) ? pair.value.tag : undefined;
      if (tag === '!reset') pair.value = document.createNode(RESET);
      if (tag !== '!override' || !isNode(pair.value)) return;
      pair.value.tag = undefined;
      const marked = new YAMLMap(document.schema);
      marked.set(OVERRIDE, pair.value);
      pair.value = marked;
    },
  });
}

const withoutReset = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== RESET));

/**
 * One compose file over another (https://docs.docker.com/reference/compose-file/merge/): mappings are merged, lists are
 * appended, and everything else is replaced, as are the lists of a command.
 */
function mergeCompose(under: unknown, over: unknown, key = ''): unknown {
  if (isRecord(over) && OVERRIDE in over) return over[OVERRIDE];
  if (Array.isArray(under) && isRecord(over)) return mergeCompose(toMapping(under), over, key);
  if (isRecord(under) && Array.isArray(over)) return mergeCompose(under, toMapping(over), key);
  if (isRecord(over)) {
    const base = isRecord(under) ? under : {};
    const merged = Object.entries(over).map(([name, value]) => [name, mergeCompose(base[name], value, name)]);
    return withoutReset({ ...base, ...Object.fromEntries(merged) });
  }
  if (key === 'env_file' && under !== undefined && over !== undefined) return [under, over].flat();
  if (Array.isArray(under) && Array.isArray(over) && !['command', 'entrypoint'].includes(key))
    return [...under, ...over];
  return over ?? under;
}

/** In the order in which Compose takes the first that is there (DefaultFileNames, DefaultOverrideFileNames in compose-go). */
const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const OVERRIDE_FILES = [
  'compose.override.yml',
  'compose.override.yaml',
  'docker-compose.override.yml',
  'docker-compose.override.yaml',
];
const SEARCHED = `${COMPOSE_FILES.slice(0, -1).join(', ')} or ${COMPOSE_FILES.at(-1)}`;
const GENERATED = 'give the folder that the deployment generator wrote, usually called generated';

/** Whether a service is a node: the generators call them subnet1 and so on, and masternode1 in private networks. */
export const isNodeKey = (key: string): boolean => /^(?:subnet|masternode)\d{1,4}$/.test(key);

/** A compose file and its services that are more than an empty stub, in the order of the file. */
export interface ComposeFile {
  /** The name of the file. */
  readonly name: string;
  /** The project's name in the label `com.docker.compose.project`; absent when the folder's name gives none. */
  readonly project?: string;
  readonly services: ReadonlyMap<string, ComposeService>;
  /** What takes part and is not followed, such as `include`. */
  readonly ignored: readonly string[];
}

type ReadComposeFile =
  | { readonly ok: true; readonly file: ComposeFile }
  | { readonly ok: false; readonly errors: readonly string[] };

const fail = (...errors: readonly string[]): ReadComposeFile => ({ ok: false, errors });

const isKind = (path: string, kind: 'isFile' | 'isDirectory'): boolean =>
  statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false;

/** The names and texts of the compose files, the later over the earlier, or why they cannot be read. */
function findComposeFiles(
  folder: string,
  wanted: readonly string[],
): readonly { readonly name: string; readonly text: string }[] | string {
  const read = (name: string) => ({ name, text: readFileSync(resolve(folder, name), 'utf8') });
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder; ${GENERATED}.`;
    if (wanted.length > 0) return wanted.map(read);
    const firstOf = (names: readonly string[]) => names.find((candidate) => isKind(join(folder, candidate), 'isFile'));
    const name = firstOf(COMPOSE_FILES);
    const override = firstOf(OVERRIDE_FILES);
    if (name !== undefined) return [name, ...(override === undefined ? [] : [override])].map(read);
    const below = join(folder, 'generated');
    return COMPOSE_FILES.some((candidate) => isKind(join(below, candidate), 'isFile'))
      ? `${folder} has no ${SEARCHED}, but ${below} has; import that folder.`
      : `${folder} has no ${SEARCHED}; ${GENERATED}.`;
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return `${path} does not exist; ${GENERATED}.`;
    return `${path} cannot be read (${code}); run subnetd as a user who can read it.`;
  }
}

/** A project's name, normalised as Compose does (NormalizeProjectName in compose-go); undefined if nothing is left. */
const toProject = (name: string): string | undefined =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '') || undefined;

/** Names whose values are never read, whatever the compose file does with them. */
const SECRET_NAME = /key|pk\b|_pk|secret|token|passw|mnemonic|seed|auth|webhook/i;

/** A value that may be shown: no key, and no reference to another variable, which is not followed. */
const isPlain = (value: string): boolean => !/[0-9a-f]{40}|\$/i.test(value);

/** The variables that Compose takes from `.env`, as far as they are wanted and harmless. */
function readDotEnv(folder: string, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const read = readEnvFile(join(folder, '.env'), (name) => wanted.has(name) && !SECRET_NAME.test(name));
  return new Map(
    read.ok ? [...read.settings].flatMap(([name, { value }]) => (isPlain(value) ? [[name, value] as const] : [])) : [],
  );
}

function toContext(folder: string, wanted: readonly string[]): ComposeContext {
  const absolute = resolve(folder);
  const variables = new Map([
    ['SUBNET_CONFIG_PATH', absolute],
    ['HOSTPWD', absolute],
    ...readDotEnv(absolute, new Set(wanted)),
    ['PWD', absolute],
  ]);
  // Generators before v2 stored the path of the env files in this file; in a moved folder it is stale.
  const own = readEnvFile(join(absolute, 'docker-compose.env'));
  const config = own.ok ? own.settings.get('SUBNET_CONFIG_PATH')?.value : undefined;
  try {
    if (config?.startsWith('/') && isKind(config, 'isDirectory')) variables.set('SUBNET_CONFIG_PATH', resolve(config));
  } catch {
    // An unreadable folder counts as missing.
  }
  return { folder: absolute, variables };
}

/** The offset of the first alias without an anchor; 0 if there are only too many aliases. */
function unresolvedAlias(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document)) return undefined;
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

type Parsed =
  | { readonly ok: true; readonly root: Readonly<Record<string, unknown>>; readonly nodeAt: (key: string) => string }
  | { readonly ok: false; readonly error: string };

/** The mapping of a compose file, with `services` in it. */
function parseCompose(folder: string, { name, text }: { readonly name: string; readonly text: string }): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'error' });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${isAbsolute(name) ? name : join(folder, name)}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const bad = (error: string): Parsed => ({ ok: false, error });
  const [syntax] = document.errors;
  // After the colon, the parser quotes the text, which may contain a secret.
  if (syntax)
    return bad(`${at(syntax.pos[0])}: the YAML is broken (${syntax.message.split(': ')[0]}); correct this line.`);

  markTags(document);
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 100 });
  } catch {
    return bad(`${at(unresolvedAlias(document))}: some aliases cannot be resolved; write out what they stand for.`);
  }
  const offsetOf = (...path: readonly string[]): number => {
    const node = document.getIn(path, true) as { readonly range?: readonly number[] | null } | undefined;
    return node?.range?.[0] ?? 0;
  };
  if (!isRecord(root) || !('services' in root))
    return bad(`${at(0)}: the file has no services, so it is not a compose file; ${GENERATED}.`);
  if (!isRecord(root.services))
    return bad(`${at(offsetOf('services'))}: services must be a mapping of names to services; ${GENERATED}.`);
  return { ok: true, root, nodeAt: (key) => at(offsetOf('services', key)) };
}

/** What Compose takes part of elsewhere. */
function findIgnored(root: Readonly<Record<string, unknown>>): readonly string[] {
  const services = isRecord(root.services) ? Object.entries(root.services) : [];
  return [
    ...('include' in root ? ['include'] : []),
    ...services.flatMap(([key, value]) => (isRecord(value) && 'extends' in value ? [`extends of ${key}`] : [])),
  ];
}

/**
 * Finds and reads the compose file of a folder, with the override file and `.env` beside it, as Compose does. Problems are
 * sentences that quote no value of the files.
 */
export function readComposeFile(folder: string): ReadComposeFile {
  const named = readDotEnv(resolve(folder), new Set(['COMPOSE_FILE'])).get('COMPOSE_FILE') ?? '';
  const found = findComposeFiles(folder, named.split(':').filter(Boolean));
  if (typeof found === 'string') return fail(found);
  const context = toContext(folder, [
    'COMPOSE_PROJECT_NAME',
    ...found.flatMap(({ text }) => variablesIn(text)).map((one) => one.name),
  ]);
  const roots: Readonly<Record<string, unknown>>[] = [];
  const errors: string[] = [];
  for (const file of found) {
    const parsed = parseCompose(folder, file);
    if (!parsed.ok) return fail(parsed.error);
    for (const [key, value] of Object.entries(parsed.root.services as object))
      if (value !== null && !isRecord(value) && isNodeKey(key))
        errors.push(`${parsed.nodeAt(key)}: ${key} must be a mapping with its image, ports and volumes.`);
    roots.push(parsed.root);
  }
  if (errors.length > 0) return fail(...errors);
  const root = roots.reduce((under, over) => mergeCompose(under, over) as typeof under, {});
  const services = new Map<string, ComposeService>();
  for (const [key, value] of Object.entries(isRecord(root.services) ? root.services : {}))
    if (isRecord(value) && Object.keys(value).length > 0) services.set(key, toComposeService(value, context));
  const project = toProject(
    context.variables.get('COMPOSE_PROJECT_NAME') || (expand(root.name, context) ?? basename(context.folder)),
  );
  const [{ name } = { name: '' }] = found;
  return {
    ok: true,
    file: { name, ...(project !== undefined && { project }), services, ignored: findIgnored(root) },
  };
}
