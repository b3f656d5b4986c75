import { basename, dirname, resolve } from 'node:path';
import { toPort } from '../../lib/addresses.ts';
import type { ComposeService } from './compose-service.ts';
import type { Note } from './deployment-notes.ts';
import { readEnvFile } from './env-file.ts';

/** The settings of a service with the place of each, such as `subnet1.env:13`. */
export interface ServiceSettings {
  readonly values: ReadonlyMap<string, { readonly value: string; readonly where: string }>;
  /** The names of the env files that were read. */
  readonly files: readonly string[];
  readonly notes: readonly Note[];
}

/** The generator's env files with settings. Other env files of a service may contain keys. */
const KNOWN_ENV_FILE = /^(?:common|(?:subnet|masternode)\d+(?:nmc)?)\.env$/;

/** Reads the env files of a service and then its own `environment`, which wins, as in Compose. */
export function readServiceSettings(
  key: string,
  service: ComposeService,
  { folder, composeName }: { readonly folder: string; readonly composeName: string },
): ServiceSettings {
  const values = new Map<string, { value: string; where: string }>();
  const files: string[] = [];
  const notes: Note[] = [];
  for (const path of service.envFiles) {
    const name = basename(path);
    const file = dirname(path) === resolve(folder) ? name : path;
    const read = KNOWN_ENV_FILE.test(name)
      ? readEnvFile(path)
      : ({ ok: false, why: 'not an env file of the generator' } as const);
    if (!read.ok) {
      notes.push({ kind: 'envFile', what: `${file} (${read.why})` });
      continue;
    }
    files.push(file);
    for (const [setting, { value, line }] of read.settings) values.set(setting, { value, where: `${file}:${line}` });
  }
  for (const [setting, value] of service.environment)
    values.set(setting, { value, where: `the environment of ${key} in ${composeName}` });
  return { values, files, notes };
}

/** A port from the first of the variables that is set. Anything else is noted and not used. */
export function portSetting(
  { values }: ServiceSettings,
  ...names: readonly string[]
): { readonly port?: number; readonly notes: readonly Note[] } {
  const name = names.find((each) => (values.get(each)?.value ?? '') !== '');
  const setting = name === undefined ? undefined : values.get(name);
  if (setting === undefined) return { notes: [] };
  const port = toPort(setting.value);
  return port === undefined ? { notes: [{ kind: 'badPort', what: `${name}, ${setting.where}` }] } : { port, notes: [] };
}
