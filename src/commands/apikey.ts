import { hashApiKey, makeApiKey } from '../platform/api-key.ts';
import { checkText } from '../platform/check-text.ts';
import { requireMember } from '../platform/check-value.ts';
import { onCommandLine } from '../platform/create-admin.ts';
import type { ExitCode } from './exit-code.ts';
import { complain } from './report.ts';
import { withStore } from './with-store.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const toId = (text: string): number => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0);

/** `subnetd apikey create`: prints the key, once. */
export async function apikeyCreate(flags: {
  readonly name: string;
  readonly owner: string;
  readonly scope: string;
  readonly json?: boolean;
}): Promise<ExitCode> {
  const { scope } = flags;
  const present = requireMember({ '--name': flags.name }, '--name');
  const name = present.ok ? checkText(flags.name, '--name', { kind: 'text', most: 200 }) : present;
  const owner = toId(flags.owner);
  const problems = [
    ...(owner > 0 ? [] : ['--owner must be the id of an admin user, as in 1']),
    ...(name.ok ? [] : [name.failure.message]),
  ];
  if (scope !== 'read' && scope !== 'write') problems.push('--scope must be read or write');
  if (!name.ok || problems.length > 0 || (scope !== 'read' && scope !== 'write')) {
    complain(problems.map((problem) => `subnetd apikey create: ${problem}`));
    return 2;
  }
  return withStore(async (store) => {
    const user = await store.findUser({ id: owner });
    if (user === undefined || !user.isActive) {
      const what = user === undefined ? 'there is no admin user' : 'not active is admin user';
      complain([`subnetd apikey create: ${what} ${owner}; "subnetd admin create" makes one`]);
      return 2;
    }
    const key = makeApiKey();
    const id = await store.addKey({ name: name.value, scope, owner, hash: hashApiKey(key) }, onCommandLine(Date.now()));
    if (flags.json) say(JSON.stringify({ id, name: name.value, owner, scope, key }));
    else {
      say(`API key ${id}: ${name.value}, scope ${scope}, owner ${owner}`);
      say(`key, shown only now: ${key}`);
    }
    return 0;
  });
}

/** `subnetd apikey list` */
export const apikeyList = (flags: { readonly json?: boolean }): Promise<ExitCode> =>
  withStore(async (store) => {
    const keys = await store.listKeys();
    if (flags.json) say(JSON.stringify(keys, null, 2));
    else if (keys.length === 0) say('there are no API keys; "subnetd apikey create" makes one');
    else
      for (const { id, name, scope, owner, lastUsedAt, revokedAt } of keys) {
        const state = revokedAt === null ? `last used ${lastUsedAt ?? 'never'}` : `revoked ${revokedAt}`;
        say(`${String(id).padEnd(5)} ${scope.padEnd(5)}  owner ${String(owner).padEnd(5)} ${state}  ${name}`);
      }
    return 0;
  });

/** `subnetd apikey revoke ID`: the key, and the tokens made from it, end at once. */
export const apikeyRevoke = (text: string): Promise<ExitCode> =>
  withStore(async (store) => {
    const id = toId(text);
    if (id === 0 || !(await store.revokeKey(id, onCommandLine(Date.now())))) {
      complain([`subnetd apikey revoke: there is no key ${text}; "subnetd apikey list" lists them`]);
      return 2;
    }
    say(`API key ${id} is revoked`);
    return 0;
  });
