import { checkText } from '../platform/api/check-text.ts';
import { checkDigits, parseDate, requireMember } from '../platform/api/check-value.ts';
import { onCommandLine } from '../platform/api/create-admin.ts';
import { checkAddresses, keyState, MAX_KEEP_HOURS, makeKey, rotateKey } from '../platform/api/manage-keys.ts';
import { type ApiKeyRow, SCOPES } from '../platform/model/platform-store.ts';
import { withStore } from './read-database.ts';
import { type ExitCode, escapeText, printLine, quote, refuse, toJson } from './report.ts';

/** An id that is typed; 0 for what is none. */
function toId(text: string): number {
  const id = checkDigits(text, 'id');
  return id.ok ? id.value : 0;
}

const noKey = (text: string): string => `there is no key ${quote(text)}; "subnetd apikey list" lists them`;

/** The flags of `subnetd apikey create`, as they are typed. */
export interface KeyFlags {
  readonly name: string;
  readonly owner: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly allow?: string;
  readonly json?: boolean;
}

/** The date of `--expires`, or what is wrong with it. */
function parseExpires(text: string | undefined, now: number): { readonly expiresAt?: string; readonly error?: string } {
  if (text === undefined) return {};
  const expiresAt = parseDate(text);
  if (expiresAt === undefined)
    return { error: '--expires must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z' };
  return Date.parse(expiresAt) > now
    ? { expiresAt }
    : { error: `--expires must be in the future; ${expiresAt} is not` };
}

/** The key that the flags describe, and every error of the flags. */
function parseFlags(flags: KeyFlags, now: number) {
  const present = requireMember({ '--name': flags.name }, '--name');
  const name = present.ok ? checkText(flags.name, '--name', { kind: 'text', most: 200 }) : present;
  const owner = toId(flags.owner);
  const scopes = SCOPES.filter((scope) => flags.scope.includes(scope));
  const isScope = (text: string) => SCOPES.some((scope) => scope === text);
  const { expiresAt, error } = parseExpires(flags.expires, now);
  const allowed = checkAddresses(flags.allow?.split(',') ?? [], '--allow');
  const errors = [
    ...(owner > 0 ? [] : ['--owner must be the id of an admin user, as in 1']),
    ...(name.ok ? [] : [name.failure.message]),
    ...(flags.scope.every(isScope) ? [] : [`--scope must be one of ${SCOPES.join(', ')}; give it again for more`]),
    ...(error === undefined ? [] : [error]),
    ...(allowed.ok ? [] : [allowed.failure.message]),
  ];
  const allowedIps = allowed.ok ? allowed.value : [];
  const key = { name: name.ok ? name.value : '', owner, scopes, expiresAt, allowedIps };
  return { key, errors };
}

/** From where a key may be used, unless that is anywhere. */
const formatAllowed = (allowedIps: readonly string[]): string =>
  allowedIps.length === 0 ? '' : `, allowed from ${allowedIps.join(', ')}`;

/** `subnetd apikey create`: prints the key, once. */
export async function apikeyCreate(flags: KeyFlags): Promise<ExitCode> {
  const now = Date.now();
  const { key, errors } = parseFlags(flags, now);
  if (errors.length > 0) return refuse('subnetd apikey create', ...errors);
  return withStore(async (store) => {
    const made = await makeKey(store, key, onCommandLine(now));
    if (!made.ok) return refuse('subnetd apikey create', made.failure.message);
    const { name, owner, allowedIps } = key;
    const { id, key: secret, expiresAt } = made.value;
    const scope = key.scopes.join(' ');
    if (flags.json) printLine(JSON.stringify({ id, name, owner, scope, expiresAt, allowedIps, key: secret }));
    else {
      const ends = expiresAt === null ? '' : `, expires ${expiresAt}`;
      printLine(`API key ${id}: ${name}, scope ${scope}, owner ${owner}${ends}${formatAllowed(allowedIps)}`);
      printLine(`key, shown only now: ${secret}`);
    }
    return 0;
  });
}

/** The flags of `subnetd apikey rotate`, as they are typed. */
export interface RotateFlags {
  readonly keepHours: string;
  readonly expires?: string;
  readonly json?: boolean;
}

/** `subnetd apikey rotate ID`: prints the new key, once. */
export async function apikeyRotate(text: string, flags: RotateFlags): Promise<ExitCode> {
  const now = Date.now();
  const id = toId(text);
  const keepHours = checkDigits(flags.keepHours, '--keep-hours', 0, MAX_KEEP_HOURS);
  const { expiresAt, error } = parseExpires(flags.expires, now);
  const errors = [
    ...(id > 0 ? [] : [noKey(text)]),
    ...(keepHours.ok ? [] : [keepHours.failure.message]),
    ...(error === undefined ? [] : [error]),
  ];
  if (!keepHours.ok || errors.length > 0) return refuse('subnetd apikey rotate', ...errors);
  return withStore(async (store) => {
    const wish = { id, keepHours: keepHours.value, expiresAt };
    const made = await rotateKey(store, wish, onCommandLine(now));
    if (!made.ok) return refuse('subnetd apikey rotate', made.failure.message);
    const { id: newId, key, oldExpiresAt, expiresAt: ends } = made.value;
    if (flags.json) printLine(JSON.stringify({ id: newId, key, expiresAt: ends, oldId: id, oldExpiresAt }));
    else {
      const ended = keepHours.value === 0 ? 'has ended' : `is valid until ${oldExpiresAt}`;
      printLine(`API key ${newId} replaces key ${id}, which ${ended}`);
      printLine(`key, shown only now: ${key}`);
    }
    return 0;
  });
}

const OLD_OPERATE =
  'warning: has the scope operate because it was made before scopes; make a new key without it, and revoke this one';

function formatState(key: Omit<ApiKeyRow, 'scopes'>, now: number): string {
  const { revokedAt, expiresAt, lastUsedAt, lastUsedIp, replacedBy, allowedIps } = key;
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  const lastUsed = `last used ${lastUsedAt ?? 'never'}${lastUsedIp === null ? '' : ` from ${lastUsedIp}`}`;
  const used = `${lastUsed}${formatAllowed(allowedIps)}`;
  const rotated = replacedBy === null ? '' : `, rotated to ${replacedBy}`;
  if (expiresAt === null) return `${used}${rotated}`;
  return `${used}${rotated}, ${Date.parse(expiresAt) <= now ? 'expired' : 'expires'} ${expiresAt}`;
}

/** `subnetd apikey list` */
export const apikeyList = (flags: { readonly json?: boolean }): Promise<ExitCode> =>
  withStore(async (store) => {
    const now = Date.now();
    const keys = (await store.listKeys()).map(({ scopes, ...key }) => ({ ...key, scope: scopes.join(' ') }));
    if (flags.json) printLine(toJson(keys, 2));
    else if (keys.length === 0) printLine('there are no API keys; "subnetd apikey create" creates one');
    const width = Math.max(5, ...keys.map(({ scope }) => scope.length));
    for (const key of flags.json ? [] : keys) {
      const { id, name, scope, owner, hint, hasOldOperate, revokedAt } = key;
      const state = formatState(key, now);
      printLine(
        `${String(id).padEnd(5)} ${scope.padEnd(width)}  owner ${String(owner).padEnd(5)} ${state}  ${escapeText(name)}${hint === null ? '' : ` (${hint}…)`}`,
      );
      if (keyState(key, now) === 'ends soon')
        printLine(`      warning: ends within a week; "subnetd apikey rotate ${id}" makes its successor`);
      if (hasOldOperate && revokedAt === null) printLine(`      ${OLD_OPERATE}`);
    }
    return 0;
  });

/** `subnetd apikey revoke ID`: ends the key, and the tokens made from it, at once. */
export const apikeyRevoke = (text: string): Promise<ExitCode> =>
  withStore(async (store) => {
    const id = toId(text);
    if (id === 0 || !(await store.revokeKey(id, onCommandLine(Date.now()))))
      return refuse('subnetd apikey revoke', noKey(text));
    printLine(`API key ${id} is revoked`);
    return 0;
  });
