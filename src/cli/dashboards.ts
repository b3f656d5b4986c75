import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LinkSettings, parseLinkSettings, readEnvironment } from '../daemon/settings.ts';
import { ownFile } from '../lib/process.ts';
import { COMPOSE_LINKS } from '../tell/alerts/to-links.ts';
import { type ExitCode, quote, refuse } from './report.ts';

/** The flags of `subnetd dashboards`, as they are typed. */
export interface DashboardFlags extends LinkSettings {
  readonly directory?: string;
}

/** The files of grafana/dashboards, without their ending. */
const DASHBOARDS: readonly string[] = ['fleet', 'node', 'services', 'self'];

const leadsToSubnetd = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'url' in value &&
  String(value.url).startsWith(`${COMPOSE_LINKS.publicUrl}/`);

/** A value of a dashboard with its links to subnetd led elsewhere, or without them when there is no address. */
function redirect(value: unknown, publicUrl: string | undefined): unknown {
  if (typeof value === 'string')
    return publicUrl === undefined ? value : value.replaceAll(`${COMPOSE_LINKS.publicUrl}/`, `${publicUrl}/`);
  if (Array.isArray(value))
    return value
      .filter((item) => publicUrl !== undefined || !leadsToSubnetd(item))
      .map((item) => redirect(item, publicUrl));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redirect(item, publicUrl)]));
}

function read(name: string, publicUrl: string | undefined): unknown {
  const text = readFileSync(ownFile(`grafana/dashboards/${name}.json`), 'utf8');
  return redirect(JSON.parse(text), publicUrl);
}

/** What to do about an error of the system, other than to change the owner. */
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on that disk, or name another folder',
  ENOENT: 'it does not exist; create it first, or correct --directory',
  ENOTDIR: 'it is not a folder; name one',
  EROFS: 'name a folder on a disk that may be written',
};

const toText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** `subnetd dashboards [NAME]`: Grafana's dashboards, one, or all as an array; or each as a file of a folder. */
export function dashboards(name: string | undefined, { directory, ...flags }: DashboardFlags): ExitCode {
  const errors: string[] = [];
  const { publicUrl } = parseLinkSettings(readEnvironment(), flags, errors);
  if (name !== undefined && !DASHBOARDS.includes(name))
    errors.push(`unknown dashboard ${quote(name)}; use one of ${DASHBOARDS.join(', ')}`);
  if (errors.length > 0) return refuse('subnetd dashboards', ...errors);
  const names = name === undefined ? DASHBOARDS : [name];
  if (directory === undefined) {
    const boards = names.map((one) => read(one, publicUrl));
    process.stdout.write(toText(name === undefined ? boards : boards[0]));
    return 0;
  }
  try {
    for (const one of names) {
      const file = join(directory, `${one}.json`);
      writeFileSync(file, toText(read(one, publicUrl)));
      process.stdout.write(`${file}\n`);
    }
    return 0;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    const remedy = REMEDIES[code] ?? 'name another folder, or change its owner';
    return refuse('subnetd dashboards', `${directory} cannot be written (${code}); ${remedy}`);
  }
}
