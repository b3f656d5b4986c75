import { readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { isRecord } from '../model/record.ts';
import { type ComposeContext, type ComposeService, expand, toComposeService } from './compose-service.ts';
import { readEnvFile } from './env-file.ts';

const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.yaml'];
const GENERATED = 'give the folder that the deployment generator wrote, usually called generated';

/** Whether a service is a node of the subnet: the generator calls them subnet1, subnet2 and so on. */
export const isNodeKey = (key: string): boolean => /^subnet\d{1,4}$/.test(key);

/** A compose file and its services that are more than an empty stub, in the order of the file. */
export interface ComposeFile {
  /** The name of the file. */
  readonly name: string;
  /** The project's name in the label `com.docker.compose.project`; absent when the folder's name gives none. */
  readonly project?: string;
  readonly services: ReadonlyMap<string, ComposeService>;
}

type ReadComposeFile =
  | { readonly ok: true; readonly file: ComposeFile }
  | { readonly ok: false; readonly errors: readonly string[] };

const fail = (...errors: readonly string[]): ReadComposeFile => ({ ok: false, errors });

const isKind = (path: string, kind: 'isFile' | 'isDirectory'): boolean =>
  statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false;

/** The text of the compose file, or why it cannot be read. */
function findComposeFile(folder: string): { readonly name: string; readonly text: string } | string {
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder; ${GENERATED}.`;
    const name = COMPOSE_FILES.find((candidate) => isKind(join(folder, candidate), 'isFile'));
    if (name !== undefined) return { name, text: readFileSync(join(folder, name), 'utf8') };
    const below = join(folder, 'generated');
    return COMPOSE_FILES.some((candidate) => isKind(join(below, candidate), 'isFile'))
      ? `${folder} has no ${COMPOSE_FILES.join(' or ')}, but ${below} has; import that folder.`
      : `${folder} has no ${COMPOSE_FILES.join(' or ')}; ${GENERATED}.`;
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return `${folder} does not exist; ${GENERATED}.`;
    return `${path} cannot be read (${code}); run subnetd as a user who may read it.`;
  }
}

/** A project's name, normalised as Compose does (NormalizeProjectName in compose-go); undefined if nothing is left. */
const toProject = (name: string): string | undefined =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '') || undefined;

function toContext(folder: string): ComposeContext {
  const absolute = resolve(folder);
  const variables = new Map([
    ['HOSTPWD', absolute],
    ['PWD', absolute],
    ['SUBNET_CONFIG_PATH', absolute],
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

/** Finds and reads the compose file of a folder. Problems are sentences that quote no value of the file. */
export function readComposeFile(folder: string): ReadComposeFile {
  const found = findComposeFile(folder);
  if (typeof found === 'string') return fail(found);
  const lines = new LineCounter();
  const document = parseDocument(found.text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${join(folder, found.name)}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [syntax] = document.errors;
  // After the colon, the parser quotes the text, which may contain a secret.
  if (syntax)
    return fail(`${at(syntax.pos[0])}: the YAML is broken (${syntax.message.split(': ')[0]}); correct this line.`);

  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 100 });
  } catch {
    return fail(`${at(unresolvedAlias(document))}: some aliases cannot be resolved; write out what they stand for.`);
  }
  const offsetOf = (...path: readonly string[]): number => {
    const node = document.getIn(path, true) as { readonly range?: readonly number[] | null } | undefined;
    return node?.range?.[0] ?? 0;
  };
  if (!isRecord(root) || !('services' in root))
    return fail(`${at(0)}: the file has no services and is no compose file; ${GENERATED}.`);
  if (!isRecord(root.services))
    return fail(`${at(offsetOf('services'))}: services must be a mapping of names to services; ${GENERATED}.`);

  const context = toContext(folder);
  const services = new Map<string, ComposeService>();
  const errors: string[] = [];
  for (const [key, value] of Object.entries(root.services)) {
    if (isRecord(value) && Object.keys(value).length > 0) services.set(key, toComposeService(value, context));
    else if (value !== null && !isRecord(value) && isNodeKey(key))
      errors.push(`${at(offsetOf('services', key))}: ${key} must be a mapping with its image, ports and volumes.`);
  }
  if (errors.length > 0) return fail(...errors);
  const project = toProject(expand(root.name, context) ?? basename(context.folder));
  return { ok: true, file: { name: found.name, project, services } };
}
