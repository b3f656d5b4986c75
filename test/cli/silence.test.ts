import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownName } from '../../src/cli/silence.ts';
import { formatMinute } from '../../src/lib/duration.ts';
import { createStores, type Stores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import type { Silence } from '../../src/tell/notify/silences.ts';
import { TWO_RECEIVERS, writeAlertInventory } from '../support/alert-inventory.ts';
import { type Alertmanager, freePort, startAlertmanager } from '../support/alertmanager.ts';
import { eventually, runCli } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

vi.setConfig({ testTimeout: 120_000 });

let alertmanager: Alertmanager;
let dead: string;
beforeAll(async () => {
  alertmanager = await startAlertmanager(TWO_RECEIVERS);
  dead = `http://127.0.0.1:${await freePort()}`;
});
afterAll(() => alertmanager.stop());

const inventory = (urls: readonly string[]) => writeAlertInventory(pathOf, urls);

it('a user without a name, as in a container that runs as any user, announces work by number', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(ownName(nameless)).toBe(`user ${process.getuid?.()}`);
  expect(ownName(() => ({ username: 'ann' }))).toBe('ann');
});

describe('subnetd silence', () => {
  let env: Readonly<Record<string, string>>;
  /** The work that the database has, as the daemon reads it. */
  const withDatabase = async <T>(work: (stores: Stores) => Promise<T>): Promise<T> => {
    const connection = await openDatabase({ kind: 'sqlite', path: pathOf('subnetd.db') });
    try {
      return await work(createStores(connection));
    } finally {
      await connection.close();
    }
  };
  const stored = () => withDatabase(({ plannedWork }) => plannedWork.list(Date.now()));
  beforeEach(async () => {
    env = { SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}` };
    await withDatabase(async () => {});
  });
  const words = ['silence', '--subnet', 'devnet', '--for', '1h', '--why', 'upgrade'];
  const getSilence = async (id: string, { get }: Alertmanager = alertmanager) =>
    (await get(`/silence/${id}`)) as Silence;

  it('silences what it names, prints the id, and ends it again', async () => {
    const config = await inventory([alertmanager.url]);
    const before = Date.now();
    const subject = ['--name', 'subnet1', '--component', 'node', '--by', 'ann'];
    const made = await runCli([...words, ...subject, '--config', config], env);
    expect([made.code, made.stderr, made.stdout]).toEqual([0, '', expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    const id = made.stdout.trim();
    const silence = await getSilence(id);
    expect(silence).toMatchObject({ createdBy: 'ann', comment: 'upgrade', status: { state: 'active' } });
    const hour = 3_600_000;
    expect(await stored()).toEqual([
      {
        ...{ id, subnet: 'devnet', component: 'node', name: 'subnet1', reason: 'upgrade', by: 'ann', silences: [id] },
        from: expect.any(Number),
        until: Date.parse(silence.endsAt),
      },
    ]);
    expect(Date.parse(silence.endsAt)).toBeGreaterThanOrEqual(before + hour);
    expect(Date.parse(silence.endsAt)).toBeLessThanOrEqual(Date.now() + hour);
    expect(silence.matchers.map(({ name, value }) => `${name}=${value}`).sort()).toEqual([
      'component=node',
      'name=subnet1',
      'subnet=devnet',
    ]);

    const alert = (name: string) => ({
      labels: { alertname: 'SubnetNodeDown', subnet: 'devnet', component: 'node', name },
    });
    await fetch(`${alertmanager.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert('subnet1'), alert('subnet2')]),
    });
    await eventually(async () => {
      const states = (await alertmanager.alerts()).map(({ labels, status }) => [labels.name, status.state]);
      expect(states.sort()).toEqual([
        ['subnet1', 'suppressed'],
        ['subnet2', 'active'],
      ]);
    });

    const listed = await runCommand(['silence', '--list', '--config', config], env);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining(id)]);
    expect(listed.stdout).toContain('name="subnet1"');
    expect(listed.stdout).toContain(`by "ann": "upgrade"  at subnetd, ${alertmanager.url}\n`);
    const json = await runCommand(['silence', '--list', '--json', '--config', config], env);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject([{ id, createdBy: 'ann', comment: 'upgrade' }]);

    const ended = await runCommand(['silence', '--end', id, '--config', config], env);
    expect([ended.code, ended.stdout]).toEqual([0, `ended ${id}\n`]);
    const expired = await getSilence(id);
    expect(expired.status.state).toBe('expired');
    expect(await stored()).toEqual([]);
    const again = await runCommand(['silence', '--end', id, '--config', config], env);
    const since = formatMinute(Date.parse(expired.endsAt));
    expect([again.code, again.stderr, again.stdout]).toEqual([0, '', `${id} had already ended at ${since}\n`]);
    const none = await runCommand(['silence', '--list', '--config', config], env);
    expect([none.stdout, none.stderr]).toEqual(['', 'nothing is announced\n']);
  });

  it('needs no inventory when an address is given, and names the user by default', async () => {
    const { code, stdout } = await runCommand([...words, '--subnet', 'unlisted', '--url', alertmanager.url]);
    expect(code).toBe(0);
    expect(await getSilence(stdout.trim())).toMatchObject({ createdBy: userInfo().username });
    await runCommand(['silence', '--end', stdout.trim(), '--url', alertmanager.url]);
  });

  it('writes one silence to a cluster, and one to each of two that know nothing of each other', async () => {
    const port = await freePort();
    const flags = (cluster: string) => ['--cluster.settle-timeout=0s', `--cluster.listen-address=${cluster}`];
    const one = await startAlertmanager(TWO_RECEIVERS, flags(`127.0.0.1:${port}`));
    cleanups.push(one.stop);
    const two = await startAlertmanager(TWO_RECEIVERS, [
      ...flags(`127.0.0.1:${await freePort()}`),
      `--cluster.peer=127.0.0.1:${port}`,
    ]);
    cleanups.push(two.stop);
    const peers = async () => ((await one.get('/status')) as { cluster: { peers: unknown[] } }).cluster.peers.length;
    await eventually(async () => expect(await peers()).toBe(2), 60_000);
    const config = await inventory([one.url, two.url, alertmanager.url]);
    const { code, stdout } = await runCommand([...words, '--config', config], env);
    const id = stdout.trim();
    const ids = (await stored())[0]?.silences ?? [];
    expect([code, ids.length, ids[0]]).toEqual([0, 2, id]);
    const states = async () => [
      (await getSilence(ids[0] ?? '', two)).status.state,
      (await getSilence(ids[1] ?? '')).status.state,
    ];
    expect(await states()).toEqual(['active', 'active']);
    expect(((await two.get('/silences')) as unknown[]).length).toBe(1);
    const listed = await runCommand(['silence', '--list', '--config', config], env);
    expect(listed.stdout).toMatch(new RegExp(`^${id} .* at subnetd, ${one.url}, ${alertmanager.url}$`, 'm'));
    const ended = await runCommand(['silence', '--config', config, '--end', ids[1] ?? ''], env);
    expect([ended.code, ended.stdout]).toEqual([0, `ended ${ids[1]}\n`]);
    expect(await states()).toEqual(['expired', 'expired']);
    const urls = [one.url, alertmanager.url].flatMap((url) => ['--url', url]);
    const outside = await runCommand([...words, ...urls]);
    const own = outside.stdout.trim().split('\n');
    expect([outside.code, own.length, await stored()]).toEqual([0, 2, []]);
    await runCommand(['silence', ...urls, ...own.flatMap((each) => ['--end', each])]);
  });

  it('names the Alertmanager that is down, for every command', async () => {
    const id = '00000000-0000-0000-0000-000000000000';
    const ways = [words.slice(1), ['--list'], ['--end', id]];
    const config = await inventory([dead]);
    for (const way of ways) {
      const { code, stderr } = await runCommand(['silence', ...way, '--config', config], env);
      const why = `subnetd silence: ${dead} refuses connections; start it, or correct alertmanager.urls\n`;
      expect([code, stderr]).toEqual([1, why]);
    }
    const unknown = await runCommand(['silence', '--end', id, '--url', alertmanager.url]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining(`no active silence "${id}"`)]);
  });

  it('fails when one of two is dead, and silences the other', async () => {
    const { code, stdout, stderr } = await runCommand([...words, '--url', dead, '--url', alertmanager.url]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${dead} refuses connections`)]);
    expect((await getSilence(stdout.trim())).status.state).toBe('active');
    await runCommand(['silence', '--end', stdout.trim(), '--url', alertmanager.url]);
  });

  it('needs no Alertmanager: subnetd itself notifies nobody then', async () => {
    const config = await inventory([]);
    const made = await runCommand([...words, '--by', 'ann', '--config', config], env);
    const id = made.stdout.trim();
    expect([made.code, made.stderr, id]).toEqual([0, '', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(await stored()).toMatchObject([{ id, subnet: 'devnet', reason: 'upgrade', silences: [] }]);
    const listed = await runCommand(['silence', '--list', '--config', config], env);
    expect(listed.stdout).toMatch(
      new RegExp(`^${id}  until \\S+  subnet="devnet"  by "ann": "upgrade"  at subnetd\n$`),
    );
    const json = await runCommand(['silence', '--list', '--json', '--config', config], env);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { id, matchers: [{ name: 'subnet', value: 'devnet' }], createdBy: 'ann', comment: 'upgrade', at: ['subnetd'] },
    ]);
    const ended = await runCommand(['silence', '--end', id, '--config', config], env);
    expect([ended.code, ended.stdout, await stored()]).toEqual([0, `ended ${id}\n`, []]);
    const again = await runCommand(['silence', '--end', id, '--config', config], env);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`no active silence "${id}"`)]);
  });

  it('says of work that was over before since when it is, and ends nothing', async () => {
    const config = await inventory([]);
    const until = Date.parse('2026-01-02T03:04:05Z');
    const id = '00000000-0000-0000-0000-000000000001';
    const over = { id, subnet: 'devnet', reason: 'upgrade', by: 'ann', silences: [], from: until - 60_000, until };
    await withDatabase(({ plannedWork }) => plannedWork.add(over));
    for (const time of ['first', 'second']) {
      const ended = await runCommand(['silence', '--end', id, '--config', config], env);
      const words = `${id} had already ended at 2026-01-02 03:04 UTC\n`;
      expect([time, ended.code, ended.stderr, ended.stdout]).toEqual([time, 0, '', words]);
    }
  });

  it('says that subnetd does not know of the work when the database is not there, and silences the Alertmanager', async () => {
    const path = pathOf('other.db');
    const { code, stdout, stderr } = await runCommand([...words, '--config', await inventory([alertmanager.url])], {
      SUBNETD_DATABASE_URL: `sqlite:${path}`,
    });
    expect([code, stderr]).toEqual([
      1,
      `subnetd silence: subnetd does not know of this work: there is no database sqlite:${path}; set SUBNETD_DATABASE_URL to that of the daemon\n`,
    ]);
    expect(existsSync(path)).toBe(false);
    expect((await getSilence(stdout.trim())).status.state).toBe('active');
    await runCommand(['silence', '--end', stdout.trim(), '--url', alertmanager.url]);
  });

  it.each([
    [[], 'give --subnet, --for and --why'],
    [['--list', '--end', 'x'], 'give --subnet, --for and --why'],
    [['--subnet', 'devnet', '--for', '1h'], '--why must say the reason'],
    [['--subnet', 'devnet', '--why', 'x'], '--for must be a duration'],
    [
      ['--subnet', 'devnet', '--why', 'x\u001b[2J', '--for', '1h'],
      '--why contains an invisible or unsupported character',
    ],
    [
      ['--subnet', 'devnet', '--why', 'x', '--by', 'a\u202eb', '--for', '1h'],
      '--by contains an invisible or unsupported character',
    ],
    [['--subnet', 'devnet', '--why', 'x', '--for', '0s'], '--for must be a duration'],
    [['--for', '1h', '--why', 'x'], '--subnet must name the subnet'],
    [['--subnet', 'other', '--for', '1h', '--why', 'x'], 'has no subnet "other"; it has "devnet"'],
    [['--subnet', 'devnet', '--component', 'relayer', '--for', '1h', '--why', 'x'], 'has no relayer'],
    [['--subnet', 'devnet', '--component', 'nod', '--for', '1h', '--why', 'x'], '--component must be one of node'],
    [
      ['--subnet', 'devnet', '--name', 'subnet9', '--for', '1h', '--why', 'x'],
      'has no "subnet9" there; it has "subnet1"',
    ],
    [['--subnet', 'devnet', '--why', 'x', '--for', '9000h'], 'of less than a year'],
    [['--end', '../alerts'], '--end must be the id of a silence'],
    [['--end', '00000000-0000-0000-0000-000000000000', '--json'], '--json goes with --list'],
    [['--list', '--url', 'nonsense'], '--url must be an address'],
    [['--unknown'], 'unknown option'],
  ] as const)('refuses %j', async (flags, why) => {
    const where = flags.some((flag) => flag === '--url') ? [] : ['--config', await inventory([alertmanager.url])];
    const { code, stdout, stderr } = await runCommand(['silence', ...flags, ...where]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
  });
});
