import { userInfo } from 'node:os';
import { parseDuration } from '../lib/duration.ts';
import { COMPONENTS, type Inventory } from '../model/target.ts';
import { checkText } from '../platform/api/check-text.ts';
import { toNameKey } from '../platform/model/resource.ts';
import { announceWork, endWork, insideOf, listWork, outsideOf, type WorkRequest } from './announce-work.ts';
import { type AlertmanagerFlags, readAlertmanagers } from './read-alertmanagers.ts';
import { type ExitCode, quote, refuse } from './report.ts';

/** The flags of `subnetd silence`, as they are typed. */
export interface SilenceFlags extends AlertmanagerFlags {
  readonly subnet?: string;
  readonly component?: string;
  readonly name?: string;
  readonly for?: string;
  readonly why?: string;
  readonly by?: string;
  readonly end?: readonly string[];
  readonly list?: boolean;
  readonly json?: boolean;
}

/** Alertmanager's ids are UUIDs. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
const YEAR_MS = 365 * 24 * 3_600_000;

/** Errors in the texts that others read. */
function findTextErrors({ why, by }: SilenceFlags): readonly string[] {
  const texts = Object.entries({ '--why': why, '--by': by }).filter(([, text]) => text?.trim());
  return texts.flatMap(([flag, text]) => {
    const checked = checkText(text, flag, { kind: 'text', most: 1_000 });
    return checked.ok ? [] : [checked.failure.message];
  });
}

/** Errors of the flags by themselves. */
function findErrors(flags: SilenceFlags): readonly string[] {
  const { subnet, component, name, end, list } = flags;
  const made = [subnet, component, name, flags.for, flags.why, flags.by].some((flag) => flag !== undefined);
  const ways = [made, end !== undefined, list === true].filter(Boolean).length;
  if (ways !== 1)
    return ['give --subnet, --for and --why to make a silence, or --end ID to end one, or --list to see all'];
  if (end?.some((id) => !ID.test(id))) return ['--end must be the id of a silence; --list shows those that hold'];
  if (flags.json && !list) return ['--json goes with --list'];
  if (!made) return [];
  return [
    ...(subnet ? [] : ['--subnet must name the subnet']),
    ...(component === undefined || COMPONENTS.some((known) => known === component)
      ? []
      : [`--component must be one of ${COMPONENTS.join(', ')}`]),
    ...(name === '' ? ['--name must not be empty'] : []),
    ...((parseDuration(flags.for ?? '') ?? YEAR_MS) < YEAR_MS
      ? []
      : ['--for must be a duration such as 30m, 1h or 72h, of less than a year']),
    ...(flags.why?.trim() ? [] : ['--why must say the reason, for whoever finds the silence']),
    ...findTextErrors(flags),
  ];
}

const nameAll = (names: readonly string[]) => [...new Set(names)].map(quote).join(', ');

/** A silence of something outside the inventory would silence nothing. */
function findUnknownTargets({ subnets }: Inventory, { subnet, component, name }: SilenceFlags): readonly string[] {
  if (subnet === undefined) return [];
  const targets = subnets.find((one) => one.name === subnet)?.targets;
  if (targets === undefined)
    return [`the inventory has no subnet ${quote(subnet)}; it has ${nameAll(subnets.map((one) => one.name))}`];
  const ofComponent = targets.filter((target) => component === undefined || target.component === component);
  if (ofComponent.length === 0) return [`the subnet ${quote(subnet)} has no ${component}`];
  if (name === undefined || ofComponent.some((target) => target.name === name)) return [];
  return [
    `the subnet ${quote(subnet)} has no ${quote(name)} there; it has ${nameAll(ofComponent.map((one) => one.name))}`,
  ];
}

/** The name of the user; as a number where the system has no name for it, as in a container that runs as any user. */
export function ownName(readUser: () => { readonly username: string } = userInfo): string {
  try {
    return readUser().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

function toRequest({ subnet = '', component, name, why = '', by, ...flags }: SilenceFlags): WorkRequest {
  const subject = { subnet, ...(component !== undefined && { component }), ...(name !== undefined && { name }) };
  const from = Date.now();
  const until = from + (parseDuration(flags.for ?? '') ?? 0);
  return { subject, from, until, reason: toNameKey(why), by: by === undefined ? ownName() : toNameKey(by) };
}

/** `subnetd silence`: announces, ends and lists planned work, and the silences of the Alertmanagers that go with it. */
export async function silence(flags: SilenceFlags): Promise<ExitCode> {
  const errors = findErrors(flags);
  if (errors.length > 0) return refuse('subnetd silence', ...errors);
  const read = await readAlertmanagers(flags, { mayBeNone: true });
  if (!read.ok) return refuse('subnetd silence', ...read.errors);
  const { clients, inventory } = read;
  try {
    const unknownTargets = inventory === undefined ? [] : findUnknownTargets(inventory, flags);
    if (unknownTargets.length > 0) return refuse('subnetd silence', ...unknownTargets);
    const way = inventory === undefined ? outsideOf(clients) : insideOf(clients);
    if (flags.list) return await listWork(way, flags.json);
    return await (flags.end === undefined ? announceWork(way, toRequest(flags)) : endWork(way, flags.end));
  } finally {
    for (const client of clients) client.close();
  }
}
