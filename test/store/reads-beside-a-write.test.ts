import { expect, it } from 'vitest';
import { onCommandLine } from '../../src/platform/api/create-admin.ts';
import { adminUser, industry, projectType } from '../../src/platform/api/resources.ts';
import { createRepositories, type Repositories } from '../../src/store/create-repositories.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { addRoot } from '../support/api.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const START = Date.UTC(2026, 0, 31);
const AT = new Date(START).toISOString();
const SESSIONS = { seen: AT, signedIn: AT };

type Store = Readonly<Record<string, unknown>>;

const PLACES = { own: 'here', shared: '*' };

/** All stores of the repositories, those of an instance too. */
const storesOf = (repositories: Repositories): ReadonlyMap<string, Store> =>
  new Map(
    Object.entries(repositories).map(([name, store]) => [
      name,
      typeof store === 'function'
        ? (store(/^(alerts|notified)$/.test(name) ? PLACES : 'here') as Store)
        : (store as Store),
    ]),
  );

/** Each read of each store, as it is called. */
const readsOf = (repositories: Repositories): Readonly<Record<string, () => Promise<unknown>>> => {
  const { platform, mails, plannedWork, fleet } = repositories;
  const [positions, alerts, notified, history, incidents] = [
    repositories.logPositions('here'),
    repositories.alerts(PLACES),
    repositories.notified(PLACES),
    repositories.history('here'),
    repositories.incidents('here'),
  ];
  return {
    'logPositions.read': positions.read,
    'nodeAddresses.read': repositories.nodeAddresses('here').read,
    'turns.read': repositories.turns('here').read,
    'settings.read': repositories.settings('here').read,
    'alerts.load': alerts.load,
    'alerts.version': alerts.version,
    'notified.load': notified.load,
    'history.uptimesAt': () => history.uptimesAt('day', START),
    'history.steps': () => history.steps(['devnet']),
    'history.minutesFrom': () => history.minutesFrom(START),
    'history.changes': () => history.changes({ subnet: 'devnet', limit: 10 }),
    'history.days': () => history.days({ limit: 10 }),
    'incidents.acknowledgements': incidents.acknowledgements,
    'incidents.list': () => incidents.list({ limit: 10 }),
    'incidents.read': () => incidents.read('20260131-1'),
    'mails.findLink': () => mails.findLink('hash', 'reset', AT),
    'mails.countLinks': () => mails.countLinks(1, 'reset', AT),
    'mails.claimMail': () => mails.claimMail(AT, 1_000, 'claim'),
    'mails.findRecipient': () => mails.findRecipient({ userId: 1 }),
    'plannedWork.list': () => plannedWork.list(START),
    'fleet.list': fleet.list,
    'platform.listVersion': () => platform.listVersion(projectType),
    'platform.list': () => platform.list(projectType, 0, 10),
    'platform.find': () => platform.find(projectType, 1),
    'platform.findByKey': () => platform.findByKey(industry, { IndustryName: 'boats' }),
    'platform.search': () => platform.search(adminUser, { search: 'root', offset: 0, limit: 10 }),
    'platform.findNames': () => platform.findNames(projectType, [1]),
    'platform.findUser': () => platform.findUser({ id: 1 }),
    'platform.findTokenUser': () => platform.findTokenUser(1, 'jti'),
    'platform.findKey': () => platform.findKey({ hash: 'hash' }),
    'platform.listKeys': () => platform.listKeys(),
    'platform.listKeyUses': () => platform.listKeyUses(1, 10),
    'platform.findLink': () => platform.findLink('hash', 'reset', AT),
    'platform.countLinks': () => platform.countLinks(1, 'reset', AT),
    'platform.findUsedKey': () => platform.findUsedKey('key', AT),
    'platform.findSignIn': () => platform.findSignIn(1, '127.0.0.1'),
    'platform.findCodes': () => platform.findCodes(1),
    'platform.findRecoveryCode': () => platform.findRecoveryCode(1, 0),
    'platform.findSession': () => platform.findSession('hash', SESSIONS),
    'platform.listSessions': () => platform.listSessions(1, SESSIONS),
    'platform.searchAudit': () => platform.searchAudit({ limit: 10 }),
    'platform.checkTrail': () => platform.checkTrail([]),
    'platform.findImage': () => platform.findImage('hash'),
    'platform.trailHeads': platform.trailHeads,
  };
};

/** The beginnings of the names of what writes. */
const WRITES =
  /^(acknowledge$|add|changePassword|clear|confirm|countAttempt|end|erase|fill|getOrCreate|keep|postpone|prove|put|remove|renew|replace|reseal|restrict|revoke|rotate|save|signOut|start|take|touch|trim|update|write)/;

it('every read of every store is answered from what is committed while a transaction holds the writer', async () => {
  const connection = await openDatabase({ kind: 'sqlite', path: pathOf('subnetd.db') });
  cleanups.push(connection.close);
  const repositories = await createRepositories(connection);
  const { platform } = repositories;
  await addRoot(platform, START);
  await platform.add(projectType, { ContractName: 'committed', IsDeleted: false }, onCommandLine(START));
  const reads = readsOf(repositories);
  const all = [...storesOf(repositories)].flatMap(([name, store]) => Object.keys(store).map((call) => [name, call]));
  // A new function is a write by its name, or has its call above.
  expect(Object.keys(reads).toSorted()).toEqual(
    all
      .filter(([, call]) => !WRITES.test(String(call)))
      .map((names) => names.join('.'))
      .toSorted(),
  );
  const { query, release } = await connection.lend();
  await query('begin immediate', []);
  await query("update project_type set contract_name = 'not committed'", []);
  // A read that waited for the writer would be refused as overloaded in the end.
  const answers = await Promise.all(
    Object.entries(reads).map(async ([name, read]) => [name, await read().catch((error: unknown) => String(error))]),
  );
  expect(answers.filter(([, answer]) => String(answer).includes('Error'))).toEqual([]);
  const records = [platform.list(projectType, 0, 10), platform.search(projectType, { offset: 0, limit: 10 })];
  expect(JSON.stringify(await Promise.all(records))).toMatch(/"committed".*"committed"/);
  // In the transaction itself, a read sees what it has written.
  expect((await query('select contract_name from project_type', [])).rows).toEqual([
    { contract_name: 'not committed' },
  ]);
  await query('rollback', []);
  release();
}, 60_000);

it('what was acknowledged is seen by each read that follows, on the event loop and in the thread', async () => {
  const connection = await openDatabase({ kind: 'sqlite', path: pathOf('subnetd.db') });
  cleanups.push(connection.close);
  const { platform } = await createRepositories(connection);
  await addRoot(platform, START);
  for (let number = 1; number <= 50; number += 1) {
    const ContractName = `contract ${number}`;
    const added = await platform.add(projectType, { ContractName, IsDeleted: false }, onCommandLine(START));
    const id = added.ok ? added.id : 0;
    expect(await platform.find(projectType, id)).toMatchObject({ ContractName });
    expect(await platform.findByKey(projectType, { ContractName })).toMatchObject({ id });
    expect((await platform.search(projectType, { search: ContractName, offset: 0, limit: 1 })).total).toBe(1);
  }
}, 60_000);
