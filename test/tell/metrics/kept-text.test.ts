import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedWork } from '../../../src/model/planned-work.ts';
import type { Observation } from '../../../src/model/prober.ts';
import type { Component, Inventory, Target } from '../../../src/model/target.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { createPage, renderPage } from '../../support/render-page.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const T0 = 1_795_255_000_000;
const SUBNETS = ['a', 'b"\\ö', 'c'];

const targetsOf = (subnet: string, names: readonly string[], services: readonly Component[]): readonly Target[] => [
  ...names.map((name) => ({
    ...nodeTarget(name, { expectedPeers: 2, container: { name }, p2p: `${name}:1` }),
    subnet,
  })),
  ...services.map((component) => ({ ...(serviceTarget(component as 'stats') as Target), subnet })),
];

const name = fc.constantFrom('n1', 'n2', 'n3', 'n4', 'ü', 'back\\slash', 'a"b');
const subnetPart = fc.record({
  names: fc.uniqueArray(name, { maxLength: 7 }),
  services: fc.uniqueArray(fc.constantFrom<Component>('bootnode', 'relayer', 'stats', 'frontend'), { maxLength: 4 }),
});

const number = fc.integer({ min: 1, max: 100_000 });
const which = fc.nat({ max: 30 });
const refused = { ok: false, fault: { kind: 'refused', address: '127.0.0.1:1' } } as const;

const nodeAnswer = fc
  .record({ number, timestamp: fc.option(number, { nil: undefined }), peers: fc.option(fc.nat(5)) })
  .map(
    ({ number, timestamp, peers }): Observation => ({
      kind: 'node',
      seen: {
        answered: true,
        latest: { ok: true, value: { number, ...(timestamp !== undefined && { timestamp }) } },
        committed: number % 2 === 0 ? { ok: true, value: { number: number - 1 } } : refused,
        peers: peers === null ? refused : { ok: true, value: { count: peers, via: 'admin_peers' } },
      },
    }),
  );
const noAnswer = fc.constant<Observation>({
  kind: 'node',
  seen: { answered: false, latest: refused, peers: refused },
});
const container = fc.option(number).map(
  (memoryBytes): Observation => ({
    kind: 'container',
    seen:
      memoryBytes === null
        ? { kind: 'missing' }
        : {
            kind: 'found',
            container: {
              ...{ id: 'abc', name: 'x', running: memoryBytes % 3 > 0, status: 'running', oomKilled: false },
              ...{ restartCount: memoryBytes % 4, startedAt: T0 - memoryBytes, memoryBytes },
            },
          },
  }),
);
const logs = fc.dictionary(fc.constantFrom('p1', 'p2', 'p3'), fc.nat(9), { maxKeys: 3 }).map(
  (counts): Observation => ({
    kind: 'logs',
    seen: {
      sources: { file: { up: true, lines: Object.keys(counts).length, since: T0 } },
      patterns: Object.fromEntries(
        Object.entries(counts).map(([pattern, count]) => [
          pattern,
          { means: 'error', count, at: T0 + count, order: 0, what: '', own: false } as const,
        ]),
      ),
    },
  }),
);

const heard = fc.subarray(['n1:1', 'n2:1', 'n3:1']).map(
  (addresses): Observation => ({
    kind: 'logs',
    seen: {
      sources: { file: { up: true, lines: 1, since: T0 } },
      patterns: {},
      heard: new Map(addresses.map((address) => [address, T0])),
    },
  }),
);

/** What can happen between two scrapes. */
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('probe' as const), which, seen: fc.oneof(nodeAnswer, noAnswer) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('probe' as const), which, seen: fc.oneof(container, logs) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('load' as const), subnets: fc.array(subnetPart, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('listen' as const), which, seen: heard }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('diagnose' as const), later: fc.nat(90_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('set clock' as const), by: fc.integer({ min: -9_999, max: 9_999 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reschedule' as const), subnet: which, seconds: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plan' as const), subnet: which, isAll: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('nothing' as const) }) },
);

const ROUND_OF = { node: 'rpc', container: 'containers', logs: 'logs' } as const;

/** A board on which these things happen, as its page sees it. */
function createWorld() {
  const world = { now: T0, ahead: 0, seconds: new Map<string, number>(), works: [] as PlannedWork[] };
  const toWall = (at: number) => at + world.ahead;
  const board = createBoard(
    toWall,
    () => ({}),
    () => world.works,
  );
  const intervalSeconds = (subnet: string) => world.seconds.get(subnet);
  let targets: readonly Target[] = [];
  const load = (parts: readonly { readonly names: readonly string[]; readonly services: readonly Component[] }[]) => {
    const subnets = parts.map(({ names, services }, index) => {
      const name = SUBNETS[index] ?? '';
      return { name, consensus: 'XDPoS', targets: targetsOf(name, names, services), settings };
    });
    targets = subnets.flatMap((subnet) => subnet.targets);
    const inventory: Inventory = { subnets, engines: {}, alertmanager: { urls: [] } };
    board.load(inventory, world.now);
  };
  const happen = (one: typeof event extends fc.Arbitrary<infer E> ? E : never) => {
    world.now += 1_000;
    const subnetAt = (index: number) => SUBNETS[index % SUBNETS.length] ?? '';
    if (one.kind === 'load') load(one.subnets);
    if (one.kind === 'set clock') world.ahead += one.by;
    if (one.kind === 'reschedule') world.seconds.set(subnetAt(one.subnet), one.seconds);
    if (one.kind === 'plan') {
      const period = { from: world.now, until: world.now + 60_000 };
      const subject = one.isAll ? {} : { component: 'node' };
      world.works.push({ subnet: subnetAt(one.subnet), ...period, ...subject, reason: 'upgrade', by: 'ann' });
    }
    if (one.kind === 'diagnose') {
      world.now += one.later;
      for (const subnet of SUBNETS) board.diagnose(subnet, world.now);
    }
    if (one.kind === 'listen') {
      const bootnodes = targets.filter(({ component }) => component === 'bootnode');
      const bootnode = bootnodes[one.which % Math.max(bootnodes.length, 1)];
      if (bootnode !== undefined) board.recordRun(bootnode, 'logs', one.seen, 0, world.now);
    }
    if (one.kind === 'probe') {
      const target = targets[one.which % Math.max(targets.length, 1)];
      const { kind } = one.seen;
      if (target?.component === 'node' && (kind === 'node' || kind === 'container' || kind === 'logs'))
        board.recordRun(target, ROUND_OF[kind], one.seen, (one.which + 1) / 7, world.now);
    }
  };
  return { board, load, happen, intervalSeconds, toWall };
}

describe('the text that is kept of a page', () => {
  it('is, whatever has changed since, that of a page which is written from nothing', () => {
    fc.assert(
      fc.property(
        fc.array(subnetPart, { minLength: 1, maxLength: 3 }),
        fc.array(event, { maxLength: 25 }),
        (first, events) => {
          const { board, load, happen, intervalSeconds, toWall } = createWorld();
          load(first);
          const page = createPage(intervalSeconds, toWall);
          for (const one of [{ kind: 'nothing' } as const, ...events]) {
            happen(one);
            expect(page(board.unexplained())).toBe(renderPage(board.unexplained(), intervalSeconds, toWall));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('has another piece where only the label of a sample is another one', () => {
    const { board, load, happen, intervalSeconds, toWall } = createWorld();
    load([{ names: ['n1'], services: [] }]);
    const page = createPage(intervalSeconds, toWall);
    const textWith = (pattern: string): string => {
      const shown = { means: 'error', count: 1, at: T0, order: 0, what: '', own: false } as const;
      const sources = { file: { up: true, lines: 1, since: T0 } };
      happen({ kind: 'probe', which: 0, seen: { kind: 'logs', seen: { sources, patterns: { [pattern]: shown } } } });
      return page(board.unexplained());
    };
    expect(textWith('p1')).toMatch(/pattern="p1"\} 1$/m);
    expect(textWith('p2')).toMatch(/pattern="p2"\} 1$/m);
  });
});
