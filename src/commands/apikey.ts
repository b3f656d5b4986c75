import { type ApiKeyRow, SCOPES } from '../model/platform-store.ts';
import { hashApiKey, makeApiKey } from '../platform/api-key.ts';
import { parseDate } from '../platform/check-date.ts';
import { checkText } from '../platform/check-text.ts';
import { requireMember } from '../platform/check-value.ts';
import { onCommandLine } from '../platform/create-admin.ts';
import { escapeText, toJson } from './quote.ts';
import { type ExitCode, printLine, report } from './report.ts';
import { withStore } from './with-store.ts';

const toId = (text: string): number => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0);

/** The flags of `subnetd apikey create`, as they are typed. */
export interface KeyFlags {
  readonly name: string;
  readonly owner: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly json?: boolean;
}

/** The key that the flags describe, and every error of the flags. */
function parseFlags(flags: KeyFlags, now: number) {
  const present = requireMember({ '--name': flags.name }, '--name');
  const name = present.ok ? checkText(flags.name, '--name', { kind: 'text', most: 200 }) : present;
  const owner = toId(flags.owner);
  const scopes = SCOPES.filter((scope) => flags.scope.includes(scope));
  const isScope = (text: string) => SCOPES.some((scope) => scope === text);
  const expiresAt = flags.expires === undefined ? undefined : parseDate(flags.expires);
  const errors = [
    ...(owner > 0 ? [] : ['--owner must be the id of an admin user, as in 1']),
    ...(name.ok ? [] : [name.failure.message]),
    ...(flags.scope.every(isScope) ? [] : [`--scope must be one of ${SCOPES.join(', ')}; give it again for more`]),
  ];
  if (flags.expires !== undefined && expiresAt === undefined)
    errors.push('--expires must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z');
  else if (expiresAt !== undefined && Date.parse(expiresAt) <= now)
    errors.push(`--expires must be in the future; ${expiresAt} is not`);
  const key = { name: name.ok ? name.value : '', owner, scopes, expiresAt };
  return { key, errors };
}

/** `subnetd apikey create`: prints the key, once. */
export async function apikeyCreate(flags: KeyFlags): Promise<ExitCode> {
  const now = Date.now();
  const { key, errors } = parseFlags(flags, now);
  if (errors.length > 0) {
    report(errors.map((error) => `subnetd apikey create: ${error}`));
    return 2;
  }
  return withStore(async (store) => {
    const { name, owner, scopes, expiresAt } = key;
    const user = await store.findUser({ id: owner });
    if (user === undefined || !user.isActive) {
      const what = user === undefined ? `there is no admin user ${owner}` : `admin user ${owner} is not active`;
      report([`subnetd apikey create: ${what}; "subnetd admin create" creates one`]);
      return 2;
    }
    const secret = makeApiKey();
    const id = await store.addKey({ ...key, hash: hashApiKey(secret) }, onCommandLine(now));
    const scope = scopes.join(' ');
    if (flags.json) printLine(JSON.stringify({ id, name, owner, scope, expiresAt: expiresAt ?? null, key: secret }));
    else {
      const until = expiresAt === undefined ? '' : `, expires ${expiresAt}`;
      printLine(`API key ${id}: ${name}, scope ${scope}, owner ${owner}${until}`);
      printLine(`key, shown only now: ${secret}`);
    }
    return 0;
  });
}

const OLD_OPERATE =
  'warning: has the scope operate because it was made before scopes; make a new key without it, and revoke this one';

function stateOf({ revokedAt, expiresAt, lastUsedAt }: Omit<ApiKeyRow, 'scopes'>, now: number): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  const used = `last used ${lastUsedAt ?? 'never'}`;
  if (expiresAt === null) return used;
  return `${used}, ${Date.parse(expiresAt) <= now ? 'expired' : 'expires'} ${expiresAt}`;
}

/** `subnetd apikey list` */
export const apikeyList = (flags: { readonly json?: boolean }): Promise<ExitCode> =>
  withStore(async (store) => {
    const keys = (await store.listKeys()).map(({ scopes, ...key }) => ({ ...key, scope: scopes.join(' ') }));
    if (flags.json) printLine(toJson(keys, 2));
    else if (keys.length === 0) printLine('there are no API keys; "subnetd apikey create" creates one');
    const width = Math.max(5, ...keys.map(({ scope }) => scope.length));
    for (const key of flags.json ? [] : keys) {
      const { id, name, scope, owner, hasOldOperate, revokedAt } = key;
      const state = stateOf(key, Date.now());
      printLine(
        `${String(id).padEnd(5)} ${scope.padEnd(width)}  owner ${String(owner).padEnd(5)} ${state}  ${escapeText(name)}`,
      );
      if (hasOldOperate && revokedAt === null) printLine(`      ${OLD_OPERATE}`);
    }
    return 0;
  });

/** `subnetd apikey revoke ID`: ends the key, and the tokens made from it, at once. */
export const apikeyRevoke = (text: string): Promise<ExitCode> =>
  withStore(async (store) => {
    const id = toId(text);
    if (id === 0 || !(await store.revokeKey(id, onCommandLine(Date.now())))) {
      report([`subnetd apikey revoke: there is no key ${text}; "subnetd apikey list" lists them`]);
      return 2;
    }
    printLine(`API key ${id} is revoked`);
    return 0;
  });
