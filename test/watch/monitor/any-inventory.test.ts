import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { createMonitor } from '../../../src/watch/monitor/create-monitor.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { eventually } from '../../support/cli.ts';
import { startNode } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

function createTestMonitor() {
  const bugs: unknown[] = [];
  const monitor = createMonitor({
    clock: createProcessClock(),
    scheduled: true,
    onBug: (error) => bugs.push(error),
  });
  cleanups.push(monitor.stop);
  return { monitor, bugs };
}

/** Text as people write it, and as nobody should. */
const odd = fc.oneof(
  fc.constantFrom(
    '%',
    '100%',
    '%zz',
    '%C3',
    '%00',
    '%2F',
    'ü',
    '💥',
    '\u{202e}',
    'a b',
    '..',
    '*',
    '**/*',
    '[',
    '{a,b}',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 6 }),
);
const host = fc.oneof(
  fc.constantFrom('127.0.0.1', '[::1]', 'localhost', 'bücher.invalid', '0x7f.1', 'a_b.invalid'),
  odd,
);
const port = fc.oneof(
  fc.constantFrom('', ':0', ':1', ':65535', ':'),
  fc.nat(70_000).map((n) => `:${n}`),
);
const login = fc.oneof(
  fc.constant(''),
  fc.tuple(odd, odd).map(([user, password]) => `${user}:${password}@`),
);
const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    login,
    host,
    port,
    fc.oneof(
      fc.constant(''),
      odd.map((one) => `/${one}?${one}`),
    ),
  )
  .map(([scheme, user, at, on, path]) => `${scheme}://${user}${at}${on}${path}`)
  // No traffic leaves this machine: names that are none, and addresses of this machine.
  .filter((text) => /^(127\.0\.0\.1|\[::1\]|localhost|.*\.invalid)$/.test(URL.parse(text)?.hostname ?? ''));
const field = fc.oneof(
  fc.constantFrom('*', '?', 'L', '*/7', '1-5', '5-1', '31', '29', '2', '1#5', '15W', 'LW', 'mon', '1,2,3'),
  odd,
);
const schedule = fc.oneof(
  fc.constantFrom('every 1h', 'every 1ms', 'every 0.5s', '0 0 0 29 2 *', '0 0 0 5 1 1#5', '0-99999999999 * * * * *'),
  fc.array(field, { minLength: 6, maxLength: 6 }).map((fields) => fields.join(' ')),
);
const pattern = fc.record({
  name: fc.constantFrom('one', 'two'),
  match: fc.oneof(
    odd,
    fc.constantFrom('error.*?x', '\\x41', '\\pL', '(?<v>\\d+)', '(?i)É', '[[:alpha:]]', '\\Q(\\E', '(a{1,9}){9}'),
  ),
  means: fc.constantFrom('progress', 'error', 'fatal'),
});
/** Docker and Compose refuse most odd names, and so does the inventory. */
const dockerName = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,11}$/);
const container = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name: dockerName }) },
  { weight: 5, arbitrary: fc.record({ project: dockerName, service: dockerName }) },
  { weight: 1, arbitrary: fc.record({ name: odd }) },
);
const partial = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });
const component = {
  container,
  logFiles: fc.array(
    odd.map((one) => `/nonexistent/${one}`),
    { maxLength: 2 },
  ),
  patterns: fc.array(pattern, { maxLength: 2 }),
};
const timed = partial({ schedule });
const inventory = fc.record(
  {
    subnets: fc.tuple(
      fc.record(
        {
          name: fc.constantFrom('d', 'ü💥', 'a b'),
          nodes: fc.tuple(
            fc.record(
              {
                name: fc.constantFrom('n', 'ü💥', 'a b'),
                rpc: url,
                ipc: odd.map((one) => `/nonexistent/${one}`),
                ...component,
                consoleExec: fc.boolean(),
              },
              { requiredKeys: ['name', 'rpc'] },
            ),
          ),
          bootnode: partial(component),
          relayer: partial({ ...component, url }),
          stats: partial({ ...component, url }),
          frontend: partial({ ...component, url, browser: fc.record({ executablePath: fc.constant('/nonexistent') }) }),
          checks: partial({ rpc: timed, containers: timed, services: timed, logs: timed, console: timed }),
        },
        { requiredKeys: ['name', 'nodes'] },
      ),
    ),
    docker: fc.record({ socketPath: odd.map((one) => `/nonexistent/${one}`) }),
  },
  { requiredKeys: ['subnets', 'docker'] },
);

describe('an inventory that is accepted', () => {
  it('can be loaded and watched, however odd it is', async () => {
    const { monitor, bugs } = createTestMonitor();
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(inventory, async (document) => {
        const parsed = parseInventory(JSON.stringify(document), {});
        fc.pre(parsed.ok);
        accepted += 1;
        monitor.load(parsed.inventory);
        await new Promise((resolve) => setImmediate(resolve));
        expect(bugs).toEqual([]);
      }),
      { numRuns: 50, maxSkipsPerRun: 1_000 },
    );
    await monitor.stop();
    expect(bugs).toEqual([]);
    expect(accepted).toBeGreaterThanOrEqual(50);
  }, 60_000);
});

describe('an inventory that cannot be built', () => {
  it('leaves the previous one in force as a whole', async () => {
    const node = await startNode();
    cleanups.push(node.stop);
    const text = `subnets: [{ name: d, nodes: [{ name: n, rpc: '${node.url}' }], checks: { rpc: { schedule: every 50ms } } }]`;
    const parsed = parseInventory(text, {});
    if (!parsed.ok) throw new Error('a bad inventory');
    const { monitor, bugs } = createTestMonitor();
    monitor.load(parsed.inventory);
    await eventually(() => expect(node.requests.length).toBeGreaterThan(2));
    const before = monitor.snapshot().map(({ subnet }) => subnet.name);

    const [subnet] = parsed.inventory.subnets;
    if (subnet === undefined) throw new Error('no subnet');
    const unasked = await startNode();
    cleanups.push(unasked.stop);
    const targets = subnet.targets.map((target) => ({ ...target, subnet: 'new', rpc: unasked.url }));
    const other = { ...subnet, name: 'new', targets };
    const never = { kind: 'cron', expression: '0 0 0 5 1 1#5' } as const;
    const rpc = { ...subnet.settings.rpc, schedule: never };
    const subnets = [other, { ...other, name: 'last', settings: { ...subnet.settings, rpc } }];
    expect(() => monitor.load({ ...parsed.inventory, subnets })).toThrow('Could not find next matching date');
    const asked = node.requests.length;
    await eventually(() => expect(node.requests.length).toBeGreaterThan(asked + 3));
    expect(monitor.snapshot().map(({ subnet: { name } }) => name)).toEqual(before);
    expect(monitor.intervalMs('new', 'rpc')).toBe(undefined);
    // What was built for it never begins, its timers included.
    expect(unasked.requests).toEqual([]);
    expect(bugs).toEqual([]);
  });
});
