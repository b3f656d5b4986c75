import type { Facts, KnownTarget, LogFacts, PatternFacts, Progress } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { BootnodeTarget, Target } from '../../../src/model/target.ts';
import type { CheckName } from '../../../src/model/verdict.ts';
import { nodeTarget, serviceTarget } from '../../support/views.ts';

/** When the cases are judged. */
export const NOW = 10_000_000;
const HOUR_MS = 3_600_000;

/** A target as it may be found, and what the check then says. */
interface Case {
  readonly target: Target;
  readonly others?: readonly KnownTarget[];
  readonly pass: readonly [facts: Facts, reason: string];
  readonly fail: readonly [facts: Facts, reason: RegExp];
}

const logs = (more: Partial<LogFacts>): Facts => ({
  logs: { sources: { container: { up: true, lines: 1, since: NOW - HOUR_MS } }, patterns: {}, ...more },
});
const error: PatternFacts = { means: 'error', count: 1, at: NOW - 1_000, order: 1, what: 'it broke', own: false };

const node = nodeTarget('subnet1');
const atBlock = (number: number, sinceMs: number, count = 3): Facts => {
  const latest: Progress = { number, risen: true, ...at(NOW - sinceMs), lastGoodAt: NOW };
  const peers = { ok: true, value: { count, via: 'admin_peers' } } as const;
  return { node: { observation: { answered: true, latest: { ok: true, value: { number } }, peers }, latest } };
};
const at = (advancedAt: number) => ({ advancedAt, riseDueSince: advancedAt });

const bootnode: BootnodeTarget = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };
const address = '192.168.25.11:20303';
const heard = (agoMs: number): Facts => logs({ heard: new Map([[address, NOW - agoMs]]) });

const container: Container = {
  ...{ id: 'a', name: 'generated-subnet1-1', running: true, status: 'running', oomKilled: false, restartCount: 0 },
  startedAt: NOW - HOUR_MS,
};
const found = (more: Partial<Container>): Facts => ({
  container: {
    observation: { kind: 'found', container: { ...container, ...more } },
    ...{ restarts: 0, oomKills: 0, inspected: true },
  },
});

const submitted = (agoMs: number): Facts => {
  const full = { phase: 'done', phaseAt: NOW - 1_000, submittedAt: NOW - agoMs, attempted: false } as const;
  return logs({ relayer: { modes: ['full'], byMode: { full }, submissions: 1, submittedAt: NOW - agoMs } });
};
const block = (agoMs: number): Facts => logs({ stats: { block: { number: 7, ...risen(NOW - agoMs) } } });
const risen = (risenAt: number) => ({ at: risenAt, risenAt });
const visited = (exceptions: number): Facts => ({
  page: { observation: { kind: 'visited', consoleErrors: 0, exceptions, failedRequests: 0 }, errors: exceptions },
});

/** For each check a target that it passes, and the same target as it fails; a check without one is a compile error. */
export const checkCases: Readonly<Record<CheckName, Case>> = {
  latest_block: {
    target: node,
    pass: [atBlock(7, 2_000), 'subnet1 is at block 7, last seen to rise 2s ago'],
    fail: [atBlock(7, 60_000), /^the block 7 of subnet1 has not risen for 1m \(limit 1m\); /],
  },
  peers: {
    target: node,
    pass: [atBlock(7, 0), 'subnet1 has 3 peers'],
    fail: [atBlock(7, 0, 2), /^subnet1 has 2 peers instead of 3; /],
  },
  log_block: {
    target: node,
    pass: [
      logs({ node: { height: 7, advancedAt: NOW - 2_000 } }),
      'the log of subnet1 is at block 7, which it reached 2s ago',
    ],
    fail: [
      logs({ node: { height: 7, advancedAt: NOW - 60_000 } }),
      /^the height in the log of subnet1 has been 7 for 1m; /,
    ],
  },
  messages: {
    target: bootnode,
    others: [{ target: nodeTarget('subnet1', { p2p: address }), facts: {} }],
    pass: [heard(1_000), 'the bootnode has heard the only node within 10m'],
    fail: [heard(600_000), /^the bootnode has not heard subnet1 within 10m; /],
  },
  submissions: {
    target: serviceTarget('relayer'),
    pass: [submitted(2_000), 'the relayer (FULL) submitted blocks 2s ago'],
    fail: [submitted(300_000), /^the relayer \(FULL\) has submitted nothing for 5m \(limit 5m\) /],
  },
  block_data: {
    target: serviceTarget('stats'),
    pass: [block(2_000), 'the stats server got block 7 2s ago'],
    fail: [block(120_000), /^the stats server has got no block for 2m/],
  },
  history_data: {
    target: serviceTarget('stats'),
    pass: [
      logs({ patterns: { history_data: { ...error, at: NOW - 2_000, means: 'progress' } } }),
      'a node sent its history to the stats server 2s ago',
    ],
    fail: [
      logs({ patterns: { started: { ...error, at: NOW - HOUR_MS, means: 'state' } } }),
      /^no node has sent its history/,
    ],
  },
  logs: {
    target: serviceTarget('frontend'),
    pass: [logs({}), 'the log of the frontend has shown no error for 5m'],
    fail: [
      logs({ patterns: { boom: error } }),
      /^frontend printed a line of the pattern boom 1s ago \(02:46:39 UTC\): it broke; /,
    ],
  },
  http: {
    target: serviceTarget('stats'),
    pass: [{ service: { observation: { ok: true, value: {} } } }, 'the stats server answers as it should'],
    fail: [
      { service: { observation: { ok: false, fault: { kind: 'status', status: 500 } } } },
      /^the stats server is unhealthy: .*500/,
    ],
  },
  console: {
    target: serviceTarget('frontend'),
    pass: [visited(0), 'the page of the frontend opens without an error'],
    fail: [visited(1), /^the page of the frontend has 1 uncaught exception; /],
  },
  container: {
    target: { ...node, container: { name: container.name } },
    pass: [found({}), 'generated-subnet1-1 has been running for 1h'],
    fail: [
      found({ running: false, status: 'exited', exitCode: 1, finishedAt: NOW - 2_000 }),
      /^generated-subnet1-1 .*exit/,
    ],
  },
};
