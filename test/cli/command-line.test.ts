import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import type { Status } from '../../src/web/to-status.ts';
import { NO_BROWSER, runCli, startCli } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const write = (name: string, text: string): string => {
  writeFileSync(pathOf(name), text);
  return pathOf(name);
};
type Fault = NonNullable<Parameters<typeof startSimulation>[0]['faults']>[number];
/** A stall is waited out; whatever moves is seen to move long before on a machine that is not busy. */
async function simulate(faults: readonly Fault[] = [], stallAfter = '40s') {
  const checks = { rpc: { stallAfter, timeout: '10s' } };
  const simulation = await startSimulation({ nodes: 4, faults, checks });
  cleanups.push(simulation.stop);
  return write('subnetd.yaml', simulation.inventory());
}

describe('the command line', () => {
  it('prints version, commit and Node.js', async () => {
    const { code, stdout } = await runCli(['version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^subnetd \d+\.\d+\.\d+, commit [0-9a-f]{12}, Node\.js v\d+/);
  });

  it('says the same by --version, and in JSON for programs', async () => {
    const { stdout } = await runCommand(['version']);
    for (const flag of ['--version', '-V']) expect(await runCommand([flag])).toEqual({ code: 0, stdout, stderr: '' });
    const { version, commit, node } = JSON.parse((await runCli(['version', '--json'])).stdout);
    expect(stdout).toBe(`subnetd ${version}, commit ${commit}, Node.js ${node}\n`);
  });

  it.each([
    ['a command', ['runn'], 'Did you mean run?'],
    ['a command of a command', ['apikey', 'crate'], 'Did you mean create?'],
    ['a flag', ['rules', '--publik-url', 'x'], 'Did you mean --public-url?'],
  ])('says what may have been meant by %s', async (_what, words, hint) => {
    const { code, stderr } = await runCommand(words);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it.each([
    ['an unknown command', ['brew']],
    ['no command', []],
    ['an unknown flag', ['run', '--foo']],
    ['a missing argument', ['safe-to-restart']],
    ['an unknown fault', ['demo', '--fault', 'gremlins']],
    ['a count that is none', ['demo', '--nodes', 'many']],
    ['too few nodes for a fault', ['demo', '--nodes', '2', '--fault', 'node-behind']],
    ['an address that is none', ['run', '--listen', 'here']],
  ])('ends with 2 and a word on stderr for %s', async (_what, words) => {
    const { code, stderr } = await runCommand(words);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('ends with 0 for help that was asked for', async () => {
    const { code, stdout } = await runCli(['--help']);
    expect(code).toBe(0);
    for (const command of ['run', 'check-config', 'once', 'demo', 'import', 'version'])
      expect(stdout).toContain(command);
  });

  it('groups its commands, none under another heading, and gives examples that are commands', async () => {
    const { stdout } = await runCommand(['--help']);
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
    const groups = ['Get started', 'Inspect', 'Planned work', 'Alerts and dashboards', 'Platform API', 'Other'];
    expect(headings).toEqual(['Options', ...groups, 'Examples']);
    const examples = [...stdout.matchAll(/^ {2}\$ subnetd (.*?) {2,}/gm)].map(([, words = '']) => words);
    expect(examples).toHaveLength(8);
    for (const words of examples) expect(stdout).toMatch(new RegExp(`^ {2}${words.split(' ')[0]} `, 'm'));
  });
});

describe('check-config', () => {
  it('ends with 0 for a good inventory', async () => {
    expect((await runCommand(['check-config', await simulate()])).code).toBe(0);
  });

  it('ends with 2 and a line for each problem for every bad inventory', async () => {
    const bad = new URL('../watch/inventory/bad/', import.meta.url);
    const some = readdirSync(bad)
      .filter((file) => file.endsWith('.yaml'))
      .slice(0, 6);
    for (const name of some) {
      const path = write(name, readFileSync(new URL(name, bad), 'utf8'));
      const { code, stdout, stderr } = await runCommand(['check-config', path]);
      expect([code, stdout]).toEqual([2, '']);
      const messages = readFileSync(new URL(name.replace('.yaml', '.txt'), bad), 'utf8');
      expect(stderr).toBe(messages.replaceAll(/^(?=.)/gm, `${path}:`));
    }
  });

  it('prints JSON for programs, of a good inventory and of a bad one', async () => {
    const good = await simulate();
    const { code, stdout, stderr } = await runCommand(['check-config', '--json', good]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ file: good, ok: true, warnings: [], subnets: 1, targets: 8 });
    const bad = write('bad.yaml', 'subnets: [{ name: d, nodes: [{ name: a, foo: 1 }] }]\n');
    const refused = await runCommand(['check-config', bad, '--json']);
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(refused.stdout)).toEqual({
      file: bad,
      ok: false,
      errors: [
        { line: 1, column: 30, path: 'subnets[0].nodes[0]', what: 'needs at least one of rpc, ipc and container' },
        { line: 1, column: 41, path: 'subnets[0].nodes[0].foo', what: 'is not a known key' },
      ],
    });
  });

  it('reads standard input, and without a file that of SUBNETD_CONFIG', async () => {
    const cli = new URL('../../bin/subnetd', import.meta.url).pathname;
    const check = (input: string) => spawnSync(cli, ['check-config', '-'], { input, encoding: 'utf8' });
    const inventory = "subnets: [{ name: d, nodes: [{ name: a, rpc: 'http://127.0.0.1:1' }] }]\n";
    expect(check(inventory)).toMatchObject({
      status: 0,
      stdout: 'standard input: good, 1 subnet with 1 target\n',
    });
    expect(check('subnets: 1\n')).toMatchObject({
      status: 2,
      stderr: 'standard input:1:10: subnets: must be a list of subnets\n',
    });
    const path = write('named.yaml', inventory);
    expect(await runCommand(['check-config'], { SUBNETD_CONFIG: path })).toMatchObject({
      code: 0,
      stdout: `${path}: good, 1 subnet with 1 target\n`,
    });
  });

  it('says what may have been meant by a variable that is almost a setting, and nothing of others', async () => {
    const path = write('good.yaml', "subnets: [{ name: d, nodes: [{ name: a, rpc: 'http://127.0.0.1:1' }] }]\n");
    const variables = {
      SUBNETD_LISTN: '',
      subnetd_config: '',
      SUBNETD_JWT_SECRT_FILE: '',
      SUBNETD_PORT: '',
      SUBNETD_SERVICE_HOST: '',
    };
    const { code, stderr } = await runCommand(['check-config', path], variables);
    expect(code).toBe(0);
    expect(
      stderr
        .split('\n')
        .filter((line) => line.includes('did you mean'))
        .toSorted(),
    ).toEqual([
      `${path}: warning: SUBNETD_JWT_SECRT_FILE is not a setting and has no effect; did you mean SUBNETD_JWT_SECRET_FILE?`,
      `${path}: warning: SUBNETD_LISTN is not a setting and has no effect; did you mean SUBNETD_LISTEN?`,
      `${path}: warning: subnetd_config is not a setting and has no effect; did you mean SUBNETD_CONFIG?`,
    ]);
  });

  it('suggests import and demo where there is no inventory', async () => {
    const { code, stderr } = await runCommand(['check-config', pathOf('none.yaml')]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `${pathOf('none.yaml')}:1:1: inventory: cannot be read (ENOENT): the file does not exist; create it with "subnetd import DIR", name another one, or try "subnetd demo"\n`,
    );
  });

  it.each([
    ['a file that is not there', 'none.yaml', 'ENOENT'],
    ['a directory', '.', 'EISDIR'],
  ])('ends with 2 for %s', async (_what, name, code) => {
    const result = await runCommand(['check-config', pathOf(name)]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(code);
  });
});

describe('once', () => {
  it('ends with 0 when everything passes, having seen each node rise', async () => {
    const { code, stdout } = await runCommand(['once', '--config', await simulate()]);
    expect(code, stdout).toBe(0);
    expect(stdout.match(/ pass {4}/g)?.length).toBeGreaterThanOrEqual(28);
    expect(stdout).not.toMatch(/ fail | degraded | unknown /);
    expect(stdout.match(/last seen to rise/g)).toHaveLength(4);
  });

  it('ends with 1 when something fails, and says what', async () => {
    const { code, stdout } = await runCommand(['once', '--config', await simulate(['service-down'], '6s')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/stats +http +fail +the stats server is unhealthy: nothing listens/);
  });

  it('marks what a window of the inventory covers now', async () => {
    const config = pathOf('planned.yaml');
    const windowOf = (from: number) =>
      `{ subnet: d, from: ${new Date(from).toISOString().slice(0, 16)}Z, until: 2099-01-01T00:00Z, reason: move }`;
    const plannedWith = async (from: number) => {
      const nodes = "[{ name: a, rpc: 'http://127.0.0.1:1' }, { name: b, rpc: 'http://127.0.0.1:2' }]";
      writeFileSync(config, `subnets: [{ name: d, nodes: ${nodes} }]\nmaintenance: [${windowOf(from)}]\n`);
      const { stdout } = await runCommand(['once', '--json', '--config', config]);
      const problems = (JSON.parse(stdout) as Status).subnets.flatMap((subnet) => subnet.problems);
      return problems.flatMap(({ problem, plannedReason }) =>
        plannedReason === undefined ? [] : [problem, plannedReason],
      );
    };
    expect(await plannedWith(Date.now() - 3_600_000)).toEqual(['never_reached', 'move']);
    expect(await plannedWith(Date.now() + 3_600_000)).toEqual([]);
  });

  it('ends with 1 when a node does not rise for as long as a stall takes', async () => {
    const { code, stdout } = await runCommand(['once', '--config', await simulate(['node-stalled'], '15s')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/subnet2 +latest_block +fail/);
    expect(stdout).toMatch(/subnet2 +log_block +fail/);
    expect(stdout.match(/ fail .*/g)).toHaveLength(2);
  });

  it('ends with 0 when something is only degraded, and gives programs the shape of /status.json', async () => {
    const { code, stdout } = await runCommand(['once', '--json', '--config', await simulate(['admin-not-exposed'])]);
    expect(code).toBe(0);
    const { subnets } = JSON.parse(stdout);
    expect(subnets[0].targets[0]).toMatchObject({
      component: 'node',
      name: 'subnet1',
      checks: expect.arrayContaining([
        expect.objectContaining({ check: 'latest_block', verdict: 'pass' }),
        expect.objectContaining({
          check: 'peers',
          verdict: 'degraded',
          lastRun: expect.stringMatching(/^\d{4}-.*Z$/),
        }),
        expect.objectContaining({ check: 'log_block', verdict: 'pass' }),
        expect.objectContaining({ check: 'container', verdict: 'pass' }),
      ]),
    });
  });

  it('ends with 2 for a bad inventory', async () => {
    expect((await runCommand(['once', '--config', write('x.yaml', 'subnets: 1\n')])).code).toBe(2);
  });
});

describe('status and safe-to-restart with --config', () => {
  it('probe the inventory without a daemon', async () => {
    const config = await simulate();
    const { code, stdout } = await runCommand(['status', '--config', config]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/ is healthy/) });
    const restart = ['safe-to-restart', 'subnet1', '--config', config];
    const reason = '3 other masternodes vote, 3 needed';
    expect(await runCommand(restart)).toMatchObject({ code: 0, stdout: `subnet1 may be restarted now: ${reason}\n` });
    const json = await runCommand([...restart, '--json']);
    const quorum = { required: 3, voting: 4, headroom: 1 };
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toEqual({
      safe: true,
      known: true,
      reason,
      subnet: 'demo',
      node: 'subnet1',
      ...quorum,
      ...{ nextTurnMs: expect.any(Number), turnEveryMs: 8_000, stopMs: null, unready: null },
      ...{ container: 'demo-subnet1-1', startedAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT/) },
    });
    expect(await runCommand(['safe-to-restart', 'nobody', '--config', config])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no such node; it has subnet1'),
    });
  });

  it('say what is wrong there', async () => {
    const config = await simulate(['node-down'], '6s');
    const { code, stdout } = await runCommand(['status', '--config', config]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/subnet2/);
    const { code: no, stdout: json } = await runCommand(['status', '--config', config, '--json']);
    expect(no).toBe(1);
    expect(JSON.parse(json).subnets[0].problems).toContainEqual(
      expect.objectContaining({ problem: 'container_down', name: 'subnet2' }),
    );
    const restart = await runCommand(['safe-to-restart', 'subnet1', '--config', config]);
    expect(restart.code).toBe(1);
    expect(restart.stdout).toMatch(/^subnet1 may not be restarted now: /);
  });

  it.each([
    ['status', ['--url', 'http://127.0.0.1:1'], '--url and --watch'],
    ['status', ['--watch'], '--url and --watch'],
    ['safe-to-restart', ['n1', '--url', 'http://127.0.0.1:1'], '--url and --wait'],
    ['safe-to-restart', ['n1', '--wait', '1m'], '--url and --wait'],
  ])('%s refuses it with %j', async (command, words, both) => {
    expect(await runCommand([command, ...words, '--config', 'x.yaml'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `subnetd ${command}: --config asks no daemon, so it goes without ${both}\n`,
    });
  });
});

describe('demo', () => {
  it('lists the faults with what each fails and degrades, and the problems that it brings', async () => {
    const { code, stdout } = await runCommand(['demo', '--list-faults', '--json']);
    expect(code).toBe(0);
    const faults: readonly { name: string; fails: string[]; degrades: string[] }[] = JSON.parse(stdout);
    expect(faults.find(({ name }) => name === 'node-stalled')).toMatchObject({
      problems: ['quorum_at_risk', 'node_stalled subnet2'],
      fails: ['node/subnet2/latest_block', 'node/subnet2/log_block'],
      degrades: [],
    });
    for (const fault of [
      'node-stalled',
      'node-down',
      'node-behind',
      'peer-missing',
      'admin-not-exposed',
      'rpc-error-inside-result',
      'rpc-garbage',
      'subnet-halted',
      'service-down',
    ])
      expect(faults.map(({ name }) => name)).toContain(fault);
  });

  it('lists only the faults that the clients of its nodes can have, and refuses clients that it does not know', async () => {
    const { stdout } = await runCommand(['demo', '--list-faults', '--json', '--clients', 'go,nethermind,go,go']);
    const names = (JSON.parse(stdout) as readonly { name: string }[]).map(({ name }) => name);
    expect(names).toContain('node-down');
    expect(names).not.toContain('ipc-path-too-long');
    expect(await runCommand(['demo', '--clients', 'go,geth', '--nodes', '3'])).toMatchObject({
      code: 2,
      stderr: 'subnetd demo: --clients has no client "geth"; there are go, xdposchain, nethermind\n',
    });
  });

  it('says what it needs to show console-error on a machine without a browser, where everything else stays as it is', async () => {
    const { stdout } = await runCommand(['demo', '--list-faults', '--json'], NO_BROWSER);
    const faults: readonly { name: string; fails: string[]; needs?: string }[] = JSON.parse(stdout);
    expect(faults.find(({ name }) => name === 'console-error')).toMatchObject({
      fails: [],
      needs: expect.stringContaining('apt-get install chromium'),
    });
    const demo = startCli(['demo', '--listen', '127.0.0.1:0', '--fault', 'console-error'], NO_BROWSER);
    await demo.waitFor(/Nothing shows console-error here, as there is no Chromium on the PATH/);
    await demo.waitFor(/skipped +frontend console/);
    await demo.waitFor(/pass +frontend http/);
    expect(demo.output()).not.toMatch(/fail {2}/);
    demo.child.kill('SIGTERM');
    expect((await demo.finished).code).toBe(0);
  });

  it('can simulate alone, for an inventory that the other commands take', async () => {
    const demo = startCli(['demo', '--config-only', '--fault', 'rpc-garbage']);
    await demo.waitFor(/docker:\n.*\n +port: \d+\n/);
    const { code, stdout } = await runCommand(['once', '--config', write('demo.yaml', demo.output())]);
    demo.child.kill('SIGINT');
    expect(code).toBe(1);
    expect(stdout).toMatch(/subnet2 +latest_block +fail/);
    expect(stdout).toMatch(/frontend +console +pass/);
    expect((await demo.finished).code).toBe(0);
  });

  it('says so when its port is taken', async () => {
    const first = startCli(['demo', '--listen', '127.0.0.1:0'], NO_BROWSER);
    const [, address = ''] = await first.waitFor(/http:\/\/(127\.0\.0\.1:\d+)\/metrics/);
    const second = await runCli(['demo', '--listen', address]);
    first.child.kill('SIGTERM');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('--listen');
    expect((await first.finished).code).toBe(0);
  });
});
