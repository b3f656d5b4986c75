import { expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget, PatternFacts, RelayerLogFacts } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { type Component, DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { suspect } from '../../../src/watch/diagnosis/suspect.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { packs } from '../../../src/watch/logs/packs.ts';
import { containerOf, diagnosed, diagnosedService, listCauses, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

/** A service whose log showed this pattern a second ago, and which does not answer if it has ended. */
function showing(
  component: Exclude<Component, 'node' | 'bootnode'>,
  pattern: string,
  { relayer, isUp = false }: { readonly relayer?: RelayerLogFacts; readonly isUp?: boolean } = {},
): KnownTarget {
  const known = packs[component].find(({ name }) => name === pattern);
  if (known === undefined) throw new Error(`no pattern ${pattern}`);
  const { means, what, fix } = known;
  const facts: PatternFacts = { means, what, ...(fix && { fix }), count: 1, at: NOW - 1_000, order: 1, own: false };
  const one = diagnosedService(component, isUp ? {} : { fault: { kind: 'refused', address: 'x' } });
  return {
    ...one,
    facts: {
      ...one.facts,
      container: containerOf(component, { startedAt: NOW - 3_000, restartCount: 0 }) as ContainerFacts,
      logs: {
        sources: { container: { up: true, lines: 9, since: 0 } },
        patterns: { [pattern]: facts },
        ...(relayer && { relayer }),
      },
    },
  };
}

const wordsOf = (one: KnownTarget) => {
  const [found] = diagnosed([one]);
  return [found?.problem, found?.summary, found?.fix];
};

test('a relayer without its redis ends the cycle that it has begun, so that it submits, and begins no new one', () => {
  const at = NOW - 5_000;
  const full = { cycleAt: at, phase: 'attempt', phaseAt: NOW - 1_000, attempted: true } as const;
  const relayer = { submissions: 1, modes: ['full'], byMode: { full }, redisDiedAt: NOW - 3_000 } as const;
  const target = showing('relayer', 'redis_exited', { relayer, isUp: true });
  const found = diagnosed([target]);
  expect(found.map(({ problem, summary, evidence }) => [problem, summary, evidence])).toEqual([
    ['relayer_redis_dead', 'the redis of the relayer has ended', expect.stringMatching(/^its redis ended 3s ago/)],
    [
      'relayer_stopped',
      'the relayer begins no new cycle',
      'the redis of the relayer died 3s ago (02:46:37 UTC), and without it the relayer begins no new cycle',
    ],
  ]);
  for (const { fix } of found)
    expect(fix).toMatch(/^run `HOSTPWD=.* up -d --force-recreate relayer` in the folder .*, and check its memory$/);
  // One moment has one age, whenever its check was judged.
  const stopped = diagnosed([target], NOW - 2_000).find(({ problem }) => problem === 'relayer_stopped');
  expect(stopped?.evidence).toBe(found[1]?.evidence);
  // That it did not answer before is not said to be over while this keeps it from that.
  const { component, name } = target.target;
  const clearing: Problem = {
    ...suspect('service_down', { component, name, summary: '', evidence: '', fix: '' }),
    ...{ severity: 'warning', alert: 'x', state: 'clearing', since: NOW - 9_000, openedAt: NOW - 9_000 },
    ...{ seenAt: NOW - 3_000, clearingSince: NOW - 3_000 },
  };
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets: [target.target] };
  const left = diagnoseSubnet(subnet, judgeTargets([target], NOW), { problems: [clearing], ended: [] }, NOW).problems;
  expect(left.map(({ problem }) => problem)).not.toContain('service_down');
});

test('the log of a relayer that was read before its container was made again says nothing of it', () => {
  const at = NOW - 90_000;
  const full = { cycleAt: at, phase: 'done', phaseAt: at, submittedAt: at, attempted: false } as const;
  const one = showing('relayer', 'redis_started', {
    relayer: { submissions: 1, modes: ['full'], byMode: { full } },
    isUp: true,
  });
  const found = (runsSince: number, startedAt = NOW - 2_000) => {
    const read = { ...one, facts: { ...one.facts, container: containerOf('relayer') as ContainerFacts } };
    const container = { ...(containerOf('relayer', { startedAt }) as ContainerFacts), runsSince };
    const states = judgeTargets([read], NOW).map((state) => ({ ...state, facts: { ...state.facts, container } }));
    const subnet = { name: 'd', consensus: 'XDPoS', targets: [one.target], settings: DEFAULT_SETTINGS };
    return listCauses(viewSubnet(subnet, states, NOW)).map(({ problem }) => problem);
  };
  expect(found(NOW)).toEqual(['relayer_stopped']);
  expect(found(NOW + 1)).toEqual([]);
  // Its Docker Engine is back.
  expect(found(NOW + 1, NOW - 3_600_000)).toEqual(['relayer_stopped']);
});

test('a frontend whose heap is full ran out of memory, and its limit is to be raised', () => {
  expect(wordsOf(showing('frontend', 'heap_exhausted'))).toEqual([
    'out_of_memory',
    'frontend ran out of memory',
    'its program ran out of memory: the heap of Node.js reached its limit, as its log says: set NODE_OPTIONS=--max-old-space-size=4096 (MB) in its environment, give its container as much memory, and recreate it',
  ]);
});

test('a frontend that cannot write has a full disk, which is that of Docker', () => {
  expect(wordsOf(showing('frontend', 'docker_disk_full'))).toEqual([
    'disk_full',
    'the disk of frontend is full',
    'the disk is full, as its log says: free space on the disk of Docker (`docker system df` shows what fills it), and start it again',
  ]);
});

test('a frontend without registry says why it does not reach it', () => {
  expect(wordsOf(showing('frontend', 'registry_unresolved'))).toEqual([
    'frontend_without_registry',
    'the frontend cannot reach the package registry',
    'the host name of the npm registry cannot be resolved, as its log says: check the host name in the registry of .npmrc or .yarnrc and the name server of the container',
  ]);
  expect(wordsOf(showing('frontend', 'registry_unreachable'))[2]).toBe(
    'let the container reach registry.yarnpkg.com, by a proxy if need be',
  );
});

const failed = (pattern: string): RelayerLogFacts => ({
  submissions: 0,
  modes: ['full'],
  byMode: {
    full: {
      ...{ phase: 'failed', phaseAt: NOW - 1_000, cycleAt: NOW - 2_000, attempted: true, hasCause: true },
      error: { pattern, at: NOW - 1_000 },
    },
  },
});

test.each([
  ['nonce_too_low', 'relayer_stopped', 'the relayer submits no blocks', 'give each relayer a wallet of its own'],
  ['gas_price_below_minimum', 'relayer_stopped', 'the relayer submits no blocks', 'set PARENTNET_URL to a node with'],
  [
    'parent_unreachable',
    'parent_unreachable',
    'the relayer gets no proper answer from the parent chain',
    'see that the node that PARENTNET_URL names answers, has all blocks of its chain',
  ],
  [
    'submit_unresolved',
    'parent_unreachable',
    'the relayer does not reach the parent chain',
    'check the host name in PARENTNET_URL',
  ],
  [
    'submit_unauthorised',
    'parent_unreachable',
    'the relayer gets no proper answer from the parent chain',
    'check the key or password in PARENTNET_URL',
  ],
  [
    'submit_garbled',
    'parent_unreachable',
    'the relayer gets no proper answer from the parent chain',
    'see that the node that PARENTNET_URL names answers, and does not refuse the relayer',
  ],
  [
    'submit_certificate_expired',
    'parent_unreachable',
    'the relayer does not reach the parent chain',
    'check the clock of the machine',
  ],
])('a relayer that fails by %s is the problem %s', (pattern, problem, summary, fix) => {
  const words = wordsOf(showing('relayer', pattern, { relayer: failed(pattern), isUp: true }));
  expect([words[0], words[1], words[2]?.slice(0, fix.length)]).toEqual([problem, summary, fix]);
});

test('a relayer whose heap is full is dead of it, and nothing else is said of its memory', () => {
  const relayer = { submissions: 0, byMode: {}, died: { at: NOW - 1_000, because: 'heap_exhausted' } };
  const one = showing('relayer', 'heap_exhausted', { relayer });
  expect(diagnosed([one]).map(({ problem }) => problem)).toEqual(['relayer_dead', 'relayer_stopped']);
  expect(wordsOf(one)[2]).toMatch(/^set NODE_OPTIONS=--max-old-space-size=4096/);
});

test('a relayer without a mode says which of its variables is missing, where its container shows that', () => {
  const wordsWithout = (unset?: readonly string[]) => {
    const state = showing('relayer', 'modes', { relayer: { submissions: 0, byMode: {}, modes: [] } });
    const created = unset && { created: { unset } };
    const { facts } = state;
    const one = { ...state, facts: { ...facts, logs: { ...facts.logs, ...created } } } as typeof state;
    const { problem, evidence, fix } = diagnosed([one])[0] ?? {};
    return [problem, evidence?.split('. ')[1], fix];
  };
  expect(wordsWithout(['PARENTNET_WALLET_PK'])).toEqual([
    'relayer_idle',
    'Its container was made without PARENTNET_WALLET_PK',
    'set PARENTNET_WALLET_PK in common.env and recreate the relayer',
  ]);
  expect(wordsWithout()).toEqual([
    'relayer_idle',
    'PARENTNET_URL, PARENTNET_WALLET_PK or CHECKPOINT_CONTRACT is missing in common.env, or was added after the relayer started',
    'set PARENTNET_URL, PARENTNET_WALLET_PK and CHECKPOINT_CONTRACT in common.env, after deploying the checkpoint contract if there is none, and recreate the relayer',
  ]);
});

test('a relayer whose redis is a stranger’s replica says to close its port', () => {
  const relayer = { submissions: 0, byMode: {}, redisFault: 'redis_captured' };
  expect(wordsOf(showing('relayer', 'redis_captured', { relayer, isUp: true }))).toEqual([
    'relayer_stopped',
    'the relayer submits no blocks',
    expect.stringMatching(/^close port 6379 of its container to the outside, recreate the container/),
  ]);
});

test('what was advised is withdrawn while somebody has just done it: the run since then has a minute to fail again', () => {
  const fixWith = (ranMs: number, lineMs: number, lastRestartBy: 'recreation' | 'policy' = 'recreation') => {
    const one = showing('stats', 'config_missing');
    const { facts } = one;
    const line = facts.logs?.patterns.config_missing;
    const startedAt = NOW - ranMs;
    const container = {
      ...containerOf('stats', { startedAt, restartCount: 0 }),
      ...{ restarts: 1, lastRestartAt: startedAt, lastRestartBy },
    } as ContainerFacts;
    const logs = { ...facts.logs, patterns: { config_missing: { ...line, at: NOW - lineMs } } };
    return wordsOf({ ...one, facts: { ...facts, container, logs } } as KnownTarget)[2];
  };
  const advice = expect.stringMatching(/^deploy the checkpoint contract, /);
  expect([fixWith(30_000, 31_000), fixWith(30_000, 29_999), fixWith(30_000, 31_000, 'policy')]).toEqual([
    undefined,
    advice,
    advice,
  ]);
});
