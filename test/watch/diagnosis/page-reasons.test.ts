import { expect, test } from 'vitest';
import type { KnownTarget, PatternFacts } from '../../../src/model/facts.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_DIAGNOSIS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { addressOf, diagnosed, diagnosedNode, type Given, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const READ_ONLY: PatternFacts = { means: 'fatal', count: 1, at: NOW - 71_000, order: 1, what: '', own: false };

const ENDED = { running: false, status: 'exited', exitCode: 1, startedAt: NOW - 75_000, finishedAt: NOW - 70_000 };

/** What pages for a subnet of which n2 does not run, and has printed this last. */
function pageOf(stalledMs: number, patterns: Readonly<Record<string, PatternFacts>>) {
  const nodes = NAMES.map((name): KnownTarget => {
    const isOut = name === 'n2';
    const fault = { kind: 'refused', address: 'http://n2' } as const;
    const peers = NAMES.filter((other) => other !== name && other !== 'n2');
    const { target, facts } = diagnosedNode(name, NAMES, {
      ...{ stalledMs: isOut ? 71_000 : stalledMs, peers },
      ...(isOut && { fault, container: ENDED }),
    });
    return isOut
      ? ({ target, facts: { ...facts, logs: { sources: {}, ...facts.logs, patterns } } } as KnownTarget)
      : { target, facts };
  });
  const pages = ['subnet_halted', 'quorum_at_risk'];
  const { problem, evidence, fix } = diagnosed(nodes).find((one) => pages.includes(one.problem)) ?? {};
  return [problem, evidence, fix];
}

const REPAIR =
  'for n2: see that its data folder is not mounted read-only in docker-compose.yml (`:ro`), and find what is wrong with the disk in `dmesg -T`; then run `HOSTPWD=$PWD docker compose -p generated up -d n2` in the folder of its compose file';

test('a halt says what a node that is out has said of itself, and how to repair it, as nothing else is sent of it', () => {
  const restart =
    'if no block has come by 02:44:10 UTC, restart n1, n3 and n4 with `docker stop generated-n1-1 generated-n3-1 generated-n4-1 && docker start generated-n1-1 generated-n3-1 generated-n4-1`, all of them at once; that time has passed, so do it now';
  const seen = 'no block after 1000 for 4m; 3 of 4 masternodes can vote, 3 needed, without n2 (stopped)';
  const start = 'start n2 with `docker start generated-n2-1`, and ';
  expect(pageOf(240_000, {})).toEqual(['subnet_halted', seen, `${start}${restart}`]);
  expect(pageOf(240_000, { disk_read_only: READ_ONLY })).toEqual([
    'subnet_halted',
    `${seen}, because n2 cannot write to its data folder`,
    `${restart}; ${REPAIR}`,
  ]);
});

test('a quorum at risk says how to repair the node that is out', () => {
  const bring = 'bring back n2 before any other work, and restart no other node';
  const seen = '3 of 4 masternodes vote and 3 are needed, without n2, because';
  expect(pageOf(2_000, {})).toEqual([
    'quorum_at_risk',
    `${seen} the container of n2 does not run`,
    `${bring}; for n2: start it with \`docker start generated-n2-1\``,
  ]);
  expect(pageOf(2_000, { disk_read_only: READ_ONLY })).toEqual([
    'quorum_at_risk',
    `${seen} n2 cannot write to its data folder`,
    `${bring}; ${REPAIR}`,
  ]);
});

test('who must be brought back is so by the command of each, those of one kind in one command', () => {
  const all = [...NAMES, 'n5', 'n6', 'n7'];
  const timeout = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } as const;
  const ended = { fault: { kind: 'refused', address: 'http://n' }, container: ENDED } as const;
  const paused = { fault: timeout, container: { running: false, status: 'paused' } } as const;
  const out: Readonly<Record<string, Given>> = { n1: { fault: timeout }, n2: ended, n3: ended, n4: paused };
  const nodes = all.map((name) => {
    const peers = all.filter((other) => other !== name && out[other] === undefined);
    return diagnosedNode(name, all, { stalledMs: 120_000, peers, ...out[name] });
  });
  const fixOf = (problem: string) => diagnosed(nodes).find((one) => one.problem === problem)?.fix;
  expect(fixOf('subnet_halted')).toBe(
    'bring back n1, n2, n3, n4: 2 more must vote; restart no other node; for n1: restart it with `docker restart generated-n1-1`; for n2 and n3: start them with `docker start generated-n2-1 generated-n3-1`; for n4: resume it with `docker unpause generated-n4-1`',
  );
});

test('a risk that a masternode brings which runs and does not vote says so, and what to do about it', () => {
  const silent = addressOf('n2');
  const rounds = [1_999, 1_995].map((round) => ({ round, miner: silent }));
  const chain = {
    pool: { voteRounds: 8, neverSigned: [silent], timeouts: 0, timeoutRound: 0 },
    missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [silent]: 2 } },
  };
  const found = diagnosed(NAMES.map((name) => diagnosedNode(name, NAMES, { chain })));
  const risk = found.find(({ problem }) => problem === 'quorum_at_risk');
  expect([risk?.evidence, risk?.fix]).toEqual([
    '3 of 4 masternodes vote and 3 are needed, without n2, because n2 runs but does not vote',
    'bring back n2 before any other work, and restart no other node; for n2: check that n2 has the key of 0xn2, that it mines, and that its clock is right; then restart it',
  ]);
});

/** Nodes of which n2 has crashed and was restarted so long ago, and is as it is given. */
const crashed = (agoMs: number, given: Given, other: Given = {}) =>
  NAMES.map((name): KnownTarget => {
    const startedAt = NOW - agoMs;
    const crash = { restarts: 1, lastRestartAt: startedAt, lastRestartBy: 'policy' } as const;
    if (name !== 'n2') return diagnosedNode(name, NAMES, other);
    const { target, facts } = diagnosedNode(name, NAMES, { ...given, container: { startedAt } });
    return { target, facts: { ...facts, container: { ...facts.container, ...crash } } } as KnownTarget;
  });

test('a risk is laid to no crash of a node that has run for a while since', () => {
  const found = diagnosed(
    crashed(90_000, { stalledMs: 71_000, peers: [] }, { peers: NAMES.filter((name) => name !== 'n2') }),
  );
  expect(found.map(({ problem }) => problem)).toContain('container_restarting');
  expect(found.find(({ problem }) => problem === 'quorum_at_risk')?.evidence).toBe(
    '3 of 4 masternodes vote and 3 are needed, without n2, because n2 is cut off from the other nodes',
  );
});

test('a halt says who has crashed of those that have just started, and begins with no crash that is over', () => {
  const stands = { stalledMs: 100_000 };
  const refused = { kind: 'refused', address: 'http://n2' } as const;
  const halts = diagnosed(crashed(10_000, { ...stands, fault: refused }, stands));
  expect(halts.find(({ problem }) => problem === 'subnet_halted')?.evidence).toBe(
    'no block after 1000 for 1m 40s; 3 of 4 masternodes can vote, 3 needed, and 1 has just started; n2 does not answer yet, because the container of n2 has crashed and was restarted',
  );
  const targets = crashed(70_000, stands, stands);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map(({ target }) => target),
  };
  const told = [0, 30_000].reduce(
    (before, ms) => diagnoseSubnet(subnet, judgeTargets(targets, NOW), before, NOW + ms),
    NO_DIAGNOSIS,
  );
  expect(told.problems.map(({ problem, state }) => `${problem} ${state}`)).toEqual([
    'subnet_halted open',
    'container_restarting open',
  ]);
  expect(told.headline?.detail).toMatch(
    /^4 of 4 masternodes can vote, 3 needed\. If no block has come by .* The container of n2 has crashed and was restarted\.$/,
  );
});
