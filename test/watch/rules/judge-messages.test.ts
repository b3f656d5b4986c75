import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownTarget, LogState } from '../../../src/model/facts.ts';
import type { BootnodeTarget } from '../../../src/model/target.ts';
import { foldLogHit, MAX_HEARD } from '../../../src/watch/rules/fold-logs.ts';
import { findHeardNodes, judgeMessages, listHeardNodes } from '../../../src/watch/rules/judge-messages.ts';
import { asRead, aView, nodeTarget, runningSince } from '../../support/views.ts';

const NOW = 10_000_000;
const WINDOW_MS = 600_000;
const bootnode: BootnodeTarget = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };

/** Nodes by their names, with their p2p addresses where the inventory has them. */
const nodes = (addresses: Readonly<Record<string, string | undefined>>): readonly KnownTarget[] =>
  Object.entries(addresses).map(([name, p2p]) => ({
    target: nodeTarget(name, p2p === undefined ? {} : { p2p }),
    facts: {},
  }));

/** The bootnode that heard these addresses so many milliseconds ago, and reads its log for so long. */
function judge(
  others: readonly KnownTarget[],
  heard: Readonly<Record<string, number>>,
  readForMs = 2 * WINDOW_MS,
  ranForMs = 3 * WINDOW_MS,
) {
  const facts = {
    container: runningSince(NOW - ranForMs),
    logs: {
      sources: { container: { up: true, lines: 1, since: NOW - readForMs } },
      patterns: {},
      heard: new Map(Object.entries(heard).map(([address, ago]) => [address, NOW - ago])),
    },
  };
  const view = aView(bootnode, facts, { now: NOW, others });
  return { ...asRead(judgeMessages(view)), heard: listHeardNodes(view.subnet, NOW, WINDOW_MS)?.length };
}

const three = nodes({ a: '192.168.25.11:20303', b: '192.168.25.12:20304', c: '192.168.25.13:20305' });

test('a bootnode that has heard every node within the window passes', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.12:20304': 2_000, '192.168.25.13:20305': WINDOW_MS - 1 };
  expect(judge(three, heard)).toMatchObject({ verdict: 'pass', heard: 3 });
});

test('a bootnode that has not heard a node within the window fails and names it', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.12:20304': WINDOW_MS, '192.168.25.13:20305': 1_000 };
  expect(judge(three, heard)).toMatchObject({
    verdict: 'fail',
    heard: 2,
    reason: expect.stringMatching(
      /has not heard b within 10m; open UDP from the p2p port of b, or start it if it does not run; read the log/,
    ),
  });
  // One that answers runs, and only one that hears nobody may print nothing.
  const observation = { latest: { ok: true }, answered: true };
  const answering = three.map((one) => ({ ...one, facts: { node: { observation } } }) as unknown as KnownTarget);
  expect(judge(answering, heard).reason).toMatch(/open UDP from the p2p port of b; read the log/);
  expect(judge(three, {}).reason).toMatch(
    /open UDP from the p2p ports of a, b, c, or start those that do not run; if the bootnode prints nothing at all, give it -verbosity 6; read/,
  );
});

test('a log of which no line has been read has a minute to show one', () => {
  const judgeUnread = (readForMs: number, lines = 0) => {
    const sources = { container: { up: true, lines, since: NOW - WINDOW_MS - readForMs } };
    const facts = { container: runningSince(NOW - 3 * WINDOW_MS), logs: { sources, patterns: {} } };
    return asRead(judgeMessages(aView(bootnode, facts, { now: NOW, others: three })));
  };
  expect(judgeUnread(14_000)).toMatchObject({
    verdict: 'unknown',
    reason: 'no line of the log of the bootnode has been read yet',
  });
  expect(judgeUnread(60_000).reason).toContain('the bootnode has not heard a, b, c within 10m');
  expect(judgeUnread(14_000, 1).reason).toContain('the bootnode has not heard a, b, c within 10m');
});

test('a node behind a NAT is known by its port, unless another node has the same', () => {
  const heard = { '203.0.113.7:20303': 1_000, '203.0.113.7:20304': 1_000, '203.0.113.7:20305': 1_000 };
  expect(judge(three, heard)).toMatchObject({ verdict: 'pass', heard: 3 });
  const same = nodes({ a: '192.168.25.11:20303', b: '192.168.25.12:20303' });
  expect(judge(same, { '192.168.25.11:20303': 1_000, '203.0.113.7:20303': 1_000 })).toMatchObject({
    verdict: 'fail',
    heard: 1,
    reason: expect.stringContaining('has not heard b within'),
  });
});

test('one node that sends from many addresses is not taken for the others', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`10.0.0.${index}:20303`, 1_000]));
  expect(judge(three, many)).toMatchObject({ verdict: 'fail', heard: 1, reason: expect.stringContaining('b, c') });
});

test('nodes without a known address are matched to the remaining addresses, and the reason says what to add', () => {
  const unknown = nodes({ a: '192.168.25.11:20303', b: undefined, c: undefined });
  const heard = { '192.168.25.11:20303': 1_000, '10.0.0.1:40001': 1_000, '10.0.0.2:40002': 1_000 };
  expect(judge(unknown, heard)).toMatchObject({ verdict: 'pass', heard: 3 });
  expect(judge(unknown, { '192.168.25.11:20303': 1_000, '10.0.0.1:40001': 1_000 })).toMatchObject({
    verdict: 'fail',
    heard: 2,
    reason: expect.stringContaining('add p2p to the nodes'),
  });
});

test('a node whose container has stopped, and has no address any more, was heard a moment ago', () => {
  const heard = { '172.30.7.11:30303': 1_000, '172.30.7.12:30303': 2_000 };
  const same = { a: '172.30.7.11:30303', b: '0.0.0.0:30303' };
  expect(judge(nodes(same), heard)).toMatchObject({ verdict: 'pass', heard: 2 });
  expect(judge(nodes({ a: '0.0.0.0:30303', b: '0.0.0.0:30303' }), heard)).toMatchObject({ verdict: 'pass', heard: 2 });
  expect(judge(nodes(same), { '172.30.7.11:30303': 1_000 })).toMatchObject({ verdict: 'fail', heard: 1 });
  const own = { '172.30.7.11:30303': 1_000, '10.0.0.9:30304': 2_000 };
  expect(judge(nodes({ ...same, b: '0.0.0.0:30304' }), own)).toMatchObject({ verdict: 'pass', heard: 2 });
});

test('a node that was never heard has the window from the start of reading on', () => {
  const heard = { '192.168.25.11:20303': 1_000, '192.168.25.13:20305': 1_000 };
  expect(judge(three, heard, WINDOW_MS - 1)).toMatchObject({ verdict: 'unknown' });
  expect(judge(three, heard, WINDOW_MS)).toMatchObject({ verdict: 'fail' });
});

test('a bootnode that has just started is not said to have been deaf for the whole window', () => {
  expect(judge(three, {}, 2 * WINDOW_MS, 30_000)).toMatchObject({
    verdict: 'unknown',
    reason: 'the bootnode has not been heard to speak with a, b, c in the 30s that its log can show, and has 10m',
  });
  expect(judge(three, {}, 2 * WINDOW_MS, WINDOW_MS)).toMatchObject({ verdict: 'fail' });
});

const MANY = 300;

/** What `findHeardNodes` says in the plainest words, as slow as that is. */
function findSlowly(known: readonly KnownTarget[], heard: ReadonlyMap<string, number>) {
  const portOf = (address: string) => address.split(':').at(-1);
  const all = known.map(({ target }) => target as typeof target & { readonly p2p?: string });
  let left = [...heard];
  const take = (isOf: (address: string) => boolean) => {
    const taken = left.filter(([address]) => isOf(address));
    left = left.filter(([address]) => !isOf(address));
    return taken.length === 0 ? undefined : Math.max(...taken.map(([, at]) => at));
  };
  const byAddress = all.map(({ p2p }) => {
    if (p2p === undefined) return undefined;
    const isOwn = all.filter((other) => other.p2p !== undefined && portOf(other.p2p) === portOf(p2p)).length === 1;
    return take((address) => address === p2p || (isOwn && portOf(address) === portOf(p2p)));
  });
  const newest = left.map(([, at]) => at).sort((a, b) => b - a);
  return all.map(({ p2p }, index) => (p2p === undefined ? newest.shift() : byAddress[index]));
}

const fewAddresses = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }))
  .map(([host, port]) => `10.0.0.${host}:${20_000 + port}`);

test('each node is found where the plain reading finds it, with shared ports, NATs and unknown addresses', () => {
  const inventories = fc.array(fc.option(fewAddresses, { nil: undefined }), { maxLength: 8 });
  const heards = fc.array(fc.tuple(fewAddresses, fc.integer({ min: 0, max: 20 })), { maxLength: 12 });
  fc.assert(
    fc.property(inventories, heards, (addresses, heard) => {
      const known = nodes(Object.fromEntries(addresses.map((address, index) => [`n${index}`, address])));
      const found = findHeardNodes(known, new Map(heard)).map(({ heardAt }) => heardAt);
      expect(found).toEqual(findSlowly(known, new Map(heard)));
    }),
    { numRuns: 1_000 },
  );
});

test(`of ${MANY} nodes exactly those that the log has not shown are missing, whichever addresses the others use`, () => {
  const names = Array.from({ length: MANY }, (_, index) => `n${index}`);
  const portOf = (index: number) => 20_000 + index;
  const known = nodes(Object.fromEntries(names.map((name, index) => [name, `10.1.0.1:${portOf(index)}`])));
  const speakers = fc.subarray([...names.keys()], { minLength: 1 });
  fc.assert(
    fc.property(speakers, fc.nat(400), fc.boolean(), (heard, unknown, behindNat) => {
      const host = behindNat ? '203.0.113.7' : '10.1.0.1';
      const hits = [
        ...heard.map((index) => `${host}:${portOf(index)}`),
        ...Array.from({ length: unknown }, (_, index) => `10.9.9.9:${40_000 + index}`),
      ];
      const state = hits.reduce<LogState>(
        (last, value) =>
          foldLogHit('bootnode', last, {
            ...{ pattern: 'received', means: 'progress', what: '', own: false, counted: true },
            ...{ value, at: NOW - 1_000 },
          }),
        {},
      );
      const judged = judge(known, Object.fromEntries([...(state.heard ?? [])].map(([a]) => [a, 1_000])));
      const missing = names.filter((_, index) => !heard.includes(index));
      expect(judged.heard).toBe(heard.length);
      if (missing.length === 0) expect(judged.verdict).toBe('pass');
      else {
        const others = missing.length > 5 ? ` and ${missing.length - 5} other${missing.length === 6 ? '' : 's'}` : '';
        expect(judged).toMatchObject({
          verdict: 'fail',
          reason: expect.stringContaining(
            `has not heard ${missing.slice(0, 5).join(', ')}${others} within 10m; open UDP from`,
          ),
        });
      }
    }),
    { numRuns: 15 },
  );
});

test('who speaks from ever new addresses makes those forgotten that were silent longest, and fills no memory', () => {
  let state: LogState = {};
  const hear = (value: string) => {
    state = foldLogHit('bootnode', state, {
      ...{ pattern: 'received', means: 'progress', what: '', own: false, counted: true },
      ...{ value, at: NOW },
    });
  };
  hear('10.0.0.1:1');
  hear('10.0.0.2:2');
  for (let index = 0; index < MAX_HEARD - 2; index += 1) hear(`10.${index >> 8}.${index & 255}.9:9`);
  hear('10.0.0.1:1');
  expect([state.heard?.size, state.heard?.has('10.0.0.2:2')]).toEqual([MAX_HEARD, true]);
  hear('10.0.0.3:3');
  expect(state.heard?.size).toBeLessThanOrEqual(MAX_HEARD);
  const has = (address: string) => state.heard?.has(address);
  expect([has('10.0.0.1:1'), has('10.0.0.2:2'), has('10.0.0.3:3')]).toEqual([true, false, true]);
});
