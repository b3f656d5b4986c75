import { describe, expect, test } from 'vitest';
import type { KnownTarget, LogFacts, Progress, RelayerLogFacts } from '../../../src/model/facts.ts';
import { indexSubjects, isJudged } from '../../../src/model/is-judged.ts';
import type {
  Checkpoint,
  CheckpointProgress,
  ParentFacts,
  ParentObservation,
} from '../../../src/model/parent-chain.ts';
import { describeEvidence } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { followIncidents, NO_INCIDENTS } from '../../../src/tell/incidents/follow-incidents.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { foldParent } from '../../../src/watch/rules/fold-subnet.ts';
import { describeLasting } from '../../../src/web/pages/incident-words.ts';
import { diagnosedNode, diagnosedService, listCauses, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const MINUTE = 60_000;
const NAMES = ['n1', 'n2', 'n3', 'n4'];

const committedAt = (number: number): Progress => ({
  ...{ number, risen: true, advancedAt: NOW, riseDueSince: NOW, lastGoodAt: NOW },
});

/** Nodes at block 1000, which have committed up to 998. */
const nodes = NAMES.map((name): KnownTarget => {
  const known = diagnosedNode(name, NAMES);
  const { node } = known.facts;
  const committed = { ...committedAt(998), timestamp: 5_000 };
  return { ...known, facts: { ...known.facts, ...(node && { node: { ...node, committed } }) } };
});

/** The same in a halt. */
const halted = NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 10 * MINUTE }));

/** A relayer in full mode that submitted this long ago, or what else is known of its log. */
function relayer(submittedMs = 10_000, more: Partial<RelayerLogFacts> = {}, logs: Partial<LogFacts> = {}): KnownTarget {
  const { target, facts } = diagnosedService('relayer');
  const at = NOW - submittedMs;
  const mode = { cycleAt: at, phase: 'done', phaseAt: at, submittedAt: at, attempted: false } as const;
  const log: RelayerLogFacts = { submissions: 9, submittedAt: at, modes: ['full'], byMode: { full: mode }, ...more };
  return { target, facts: { ...facts, logs: { ...(facts.logs as LogFacts), relayer: log, ...logs } } };
}

/** A relayer whose cycles end in this error of its log. */
function failing(pattern: string, name = 'full'): KnownTarget {
  const mode = { cycleAt: NOW, phase: 'failed', phaseAt: NOW, attempted: true, error: { pattern, at: NOW } } as const;
  const patterns = {
    [pattern]: { means: 'error', count: 3, at: NOW, order: 1, what: 'it fails', own: false },
  } as const;
  return relayer(10_000, { byMode: { [name]: mode } }, { patterns });
}

/** A relayer that ends the cycle which it had begun when its redis died. */
function withoutRedis(): KnownTarget {
  const mode = { cycleAt: NOW - 50_000, phase: 'attempt', phaseAt: NOW - 1_000, attempted: true } as const;
  return relayer(10_000, { byMode: { full: mode }, redisDiedAt: NOW - 45_000 });
}

const seen: ParentObservation = {
  head: { ok: true, value: { number: 77, timestamp: 1 } },
  chainId: { ok: true, value: 551 },
};

/** A parent chain that answers with this contract, which has moved within the last seconds. */
function parent(checkpoint: Partial<Checkpoint> = {}, progress: Partial<CheckpointProgress> = {}): ParentFacts {
  const block = { hash: '0xaa', number: 990 };
  const whole: Checkpoint = { mode: 'full', latest: block, committed: block, ...checkpoint };
  return {
    observation: { ...seen, contract: { ok: true, value: { kind: 'checkpoint', checkpoint: whole } } },
    at: NOW,
    headAgeMs: 2_000,
    firstChainId: 551,
    progress: {
      checkpoint: whole,
      readAt: NOW,
      advancedAt: NOW,
      hasAdvanced: true,
      recent: [{ at: NOW, number: whole.committed.number }],
      ...progress,
    },
  };
}

const CONTRACT = `0x${'c0'.repeat(20)}`;

const subnet = {
  parentChain: { rpc: 'http://127.0.0.1', contract: CONTRACT.replace('0x', 'xdc') },
  name: 'devnet',
  consensus: 'XDPoS',
  settings: DEFAULT_SETTINGS,
};

const causesOf = (
  facts: ParentFacts,
  services: readonly KnownTarget[] = [relayer()],
  known: readonly KnownTarget[] = nodes,
) => {
  const targets = [...known, ...services];
  const view = viewSubnet(
    { ...subnet, targets: targets.map(({ target }) => target) },
    judgeTargets(targets, NOW),
    NOW,
    { parent: facts },
  );
  return listCauses(view);
};

const named = (...given: Parameters<typeof causesOf>) =>
  causesOf(...given).map(({ problem, name }) => (name === undefined ? problem : `${problem} ${name}`));

/** The texts of the only cause. */
const only = (...given: Parameters<typeof causesOf>) => {
  const [one, ...more] = causesOf(...given);
  expect(more.map(({ problem }) => problem)).toEqual([]);
  return one && { problem: one.problem, summary: one.summary, evidence: one.evidence, fix: one.fix };
};

const at = (number: number): Partial<Checkpoint> => ({ committed: { hash: '0xaa', number } });
/** It has not moved for this long. */
const still = (ms: number): Partial<CheckpointProgress> => ({
  advancedAt: NOW - ms,
  recent: [
    { at: NOW - ms, number: 1 },
    { at: NOW, number: 1 },
  ],
});

describe('a checkpoint contract', () => {
  test('that follows the subnet is not a problem, nor is a parent chain without a contract in the inventory', () => {
    expect(named(parent())).toEqual([]);
    expect(named({ observation: seen, at: NOW, headAgeMs: 0, firstChainId: 551 })).toEqual([]);
  });

  test('that does not follow is right where the relayer says that it submits', () => {
    expect(only(parent(at(800), still(6 * MINUTE)))).toEqual({
      problem: 'checkpoint_behind',
      summary: 'the checkpoint on the parent chain is behind the subnet',
      evidence:
        'the contract is at block 800, 198 blocks (6m 36s) behind the subnet, and has not moved for 6m (full mode, limit 150 blocks); the relayer says that it submitted 10s ago (02:46:30 UTC)',
      fix: 'see that CHECKPOINT_CONTRACT in common.env is parentChain.contract of the inventory, and whether the transactions of the wallet fail on the parent chain',
    });
  });

  test('that does not follow yet is waited for after the start of the relayer', () => {
    const said = (startedMs: number) => {
      const { target, facts } = relayer();
      const { container } = diagnosedService('relayer', { container: { startedAt: NOW - startedMs } }).facts;
      return only(parent(at(800), still(6 * MINUTE)), [{ target, facts: { ...facts, container } } as KnownTarget]);
    };
    expect(said(2 * MINUTE - 1)).toMatchObject({
      evidence:
        'the contract is at block 800, 198 blocks (6m 36s) behind the subnet, and has not moved for 6m (full mode, limit 150 blocks)',
      fix: 'wait two minutes: the relayer has just started, and has these blocks to submit',
    });
    expect(said(2 * MINUTE)?.fix).toMatch(/^see that CHECKPOINT_CONTRACT/);
  });

  test('that was read a while ago says when it had not moved', () => {
    const read = (ago: number) => ({ readAt: NOW - ago, advancedAt: NOW - 6 * MINUTE });
    const said = (ago: number) => only(parent(at(700), { ...still(6 * MINUTE), ...read(ago) }))?.evidence;
    expect(said(4_999)).toContain(', and has not moved for 5m 55s (full mode');
    expect(said(4_999)).toMatch(/^the contract is at block 700, /);
    expect(said(5_000)).toMatch(/^the contract was at block 700, /);
    expect(said(5_000)).toContain(
      ', and had not moved for 5m 55s when it was read 5s ago (02:46:35 UTC) (full mode, limit 150 blocks)',
    );
  });

  test('that has come a moment ago is not behind, refuses nothing, and nothing was submitted to it before', () => {
    const of = (ms: number, checkpoint: Partial<Checkpoint>) =>
      only({ ...parent(checkpoint, still(ms)), contractSince: NOW - ms }, [relayer(41_000)]);
    const found = (ms: number) => of(ms, at(1));
    expect(found(39_999)).toBeUndefined();
    expect(found(40_000)?.evidence).toBe(
      'the contract is at block 1, 997 blocks (33m 14s) behind the subnet, and has not moved for 40s (full mode, limit 150 blocks); the relayer shows no fault',
    );
    expect(found(42_000)?.evidence).toContain('the relayer says that it submitted 41s ago');
    // Nor does what the container before has submitted count for that of now.
    const { target, facts } = relayer(3 * MINUTE);
    const { container } = diagnosedService('relayer', { container: { startedAt: NOW - 2 * MINUTE } }).facts;
    const log = { ...relayer().facts.logs?.relayer, submittedAt: NOW - 3 * MINUTE } as RelayerLogFacts;
    const anew = { target, facts: { ...facts, container, logs: { ...(facts.logs as LogFacts), relayer: log } } };
    expect(only(parent(at(800), still(6 * MINUTE)), [anew])?.evidence).toMatch(/; the relayer shows no fault$/);
    const next = { number: 1, refusal: 'Parent Missing' };
    expect(of(39_999, { next })).toBeUndefined();
    expect(of(40_000, { next })?.problem).toBe('checkpoint_refused');
  });

  test('is another one than that of the relayer, as soon as Docker shows that', () => {
    const created = (contract: string) => [relayer(10_000, {}, { created: { contract } })];
    expect(named(parent(), created(CONTRACT))).toEqual([]);
    const other = `0x${'0c'.repeat(20)}`;
    expect(only(parent(), created(other))).toEqual({
      problem: 'checkpoint_behind',
      summary: 'the relayer submits to another contract than the inventory names',
      evidence: `CHECKPOINT_CONTRACT of its container is ${other}, and parentChain.contract of the inventory is ${CONTRACT}`,
      fix: 'correct parentChain.contract if the contract has moved; else correct CHECKPOINT_CONTRACT in common.env and recreate the relayer',
    });
  });

  test('is another one since the container of the relayer was started, unless the inventory was reloaded since', () => {
    const other = `0x${'0c'.repeat(20)}`;
    const { target, facts } = relayer(10_000, {}, { created: { contract: other } });
    // When an inspection first found it running: after a restart of subnetd, shortly before the contract was read.
    const lasted = (runsSince: number) => {
      const seenSince = { target, facts: { ...facts, container: { ...facts.container, runsSince } } } as KnownTarget;
      return causesOf({ ...parent(), contractSince: NOW - 20_000 }, [seenSince]).map((one) => [
        one.problem,
        one.lastedMs,
      ]);
    };
    expect(lasted(NOW - 80_000)).toEqual([['checkpoint_behind', 60 * MINUTE]]);
    expect(lasted(NOW - 80_001)).toEqual([['checkpoint_behind', undefined]]);
  });

  test('is right where the stats server says otherwise', () => {
    const { target, facts } = diagnosedService('stats');
    const service = {
      observation: { ok: true, value: {} },
      stats: { reading: { relayer: { isUp: true, backlog: 3 } } },
    } as const;
    const stats: KnownTarget = { target, facts: { ...facts, service } };
    const found = causesOf(parent(at(800), still(6 * MINUTE)), [relayer(), stats]);
    expect(found.find(({ problem }) => problem === 'checkpoint_behind')?.evidence).toBe(
      'the contract is at block 800, 198 blocks (6m 36s) behind the subnet, and has not moved for 6m (full mode, limit 150 blocks); the stats server shows the relayer as UP with a backlog of 3 blocks; the relayer says that it submitted 10s ago (02:46:30 UTC)',
    );
  });

  test('is not measured by a node that claims more than half of the others have', () => {
    const [first, ...rest] = nodes;
    const committed = { ...(first?.facts.node?.committed as Progress), number: 1_500 };
    const liar = { ...first, facts: { ...first?.facts, node: { ...first?.facts.node, committed } } } as KnownTarget;
    expect(named(parent(), [relayer()], [liar, ...rest])).toEqual([]);
  });

  test('is judged by itself where nothing is known of a relayer, as a problem of the whole subnet', () => {
    const [one] = causesOf(parent(at(800), still(6 * MINUTE)), []);
    expect(one).not.toHaveProperty('component');
    expect(one).toMatchObject({ problem: 'checkpoint_behind', fix: 'see that the relayer runs, and read its log' });
    expect(one?.evidence).toBe(
      'the contract is at block 800, 198 blocks (6m 36s) behind the subnet, and has not moved for 6m (full mode, limit 150 blocks)',
    );
  });

  test('may be five minutes behind in full mode, and an epoch more in lite mode', () => {
    expect(named(parent(at(998 - 150)))).toEqual([]);
    expect(named(parent(at(998 - 151)))).toEqual(['checkpoint_behind relayer']);
    const late = nodes.map((node) => withHeight(node, 2_000));
    const lite = (number: number) => named(parent({ mode: 'lite', ...at(number) }), [relayer()], late);
    expect(lite(1_998 - 1_050)).toEqual([]);
    expect(lite(1_998 - 1_051)).toEqual(['checkpoint_behind relayer']);
  });

  test('that names no mode is judged in the mode of the relayer', () => {
    const silent = parent({ ...at(998 - 151) });
    const { progress } = silent;
    if (progress === undefined) throw new Error('there is a contract');
    const { mode: _, ...checkpoint } = progress.checkpoint;
    const facts = { ...silent, progress: { ...progress, checkpoint } };
    expect(named(facts)).toEqual(['checkpoint_behind relayer']);
    const byMode = { lite: { cycleAt: NOW, phase: 'done', phaseAt: NOW, submittedAt: NOW, attempted: false } } as const;
    expect(named(facts, [relayer(10_000, { modes: ['lite'], byMode })])).toEqual([]);
  });

  test('is behind by the times of the blocks, where they are known, once it has not moved for as long', () => {
    const found = (timestamp: number, ms: number) =>
      named(parent({ ...at(990), onSubnet: { found: 'same', timestamp } }, still(ms)));
    expect(found(5_000 - 300, 6 * MINUTE)).toEqual([]);
    expect(found(5_000 - 301, 6 * MINUTE)).toEqual(['checkpoint_behind relayer']);
    // As after a halt of the subnet, whose last blocks lie an hour apart.
    expect(found(5_000 - 3_600, 5 * MINUTE)).toEqual([]);
  });

  test('is not blamed for the blocks that came after it was read', () => {
    expect(named(parent(at(950 - 150), { newest: committedAt(950) }))).toEqual([]);
    expect(named(parent(at(950 - 151), { newest: committedAt(950) }))).toEqual(['checkpoint_behind relayer']);
    // Where no node was known then, the blocks of now count.
    expect(named(parent(at(998 - 150)))).toEqual([]);
    expect(named(parent(at(998 - 151)))).toEqual(['checkpoint_behind relayer']);
  });

  test('is not blamed before it was read once since the relayer submits again', () => {
    const facts = parent(at(800), { ...still(6 * MINUTE), readAt: NOW - 18_000 });
    const found = (since: number) => {
      const targets = [...nodes, relayer()];
      const again = judgeTargets(targets, NOW).map((one) => ({
        ...one,
        checks: one.checks.map((each) => (each.check === 'submissions' ? { ...each, since } : each)),
      }));
      const whole = { ...subnet, targets: targets.map(({ target }) => target) };
      return listCauses(viewSubnet(whole, again, NOW, { parent: facts })).map(({ problem }) => problem);
    };
    expect(found(NOW - 17_999)).toEqual([]);
    expect(found(NOW - 18_000)).toEqual(['checkpoint_behind']);
  });

  test('that catches up is not a problem, and one that only keeps its distance is', () => {
    const moves = (blocks: number) => ({
      recent: [
        { at: NOW - MINUTE, number: 500 },
        { at: NOW, number: 500 + blocks },
      ],
    });
    expect(named(parent(at(500), moves(37)))).toEqual([]);
    expect(named(parent(at(500), moves(30)))).toEqual(['checkpoint_behind relayer']);
  });

  test('that refuses the next block is said with its words, which explain the failure of the relayer', () => {
    const refused = parent({ ...at(800), next: { number: 991, refusal: 'Mismatched Validators' } }, still(6 * MINUTE));
    const [one, ...more] = causesOf(refused, [failing('reverted')]);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      problem: 'checkpoint_refused',
      component: 'relayer',
      summary: 'the checkpoint contract refuses the next block',
      evidence:
        'the contract holds block 990; asked by eth_call, it would refuse block 991 with "Mismatched Validators": the masternodes of the new epoch are not those that it was given at the gap block, so it misses an epoch change',
      fix: 'deploy a new contract, set CHECKPOINT_CONTRACT in common.env and parentChain.contract of the inventory to its address, and recreate the relayer; the old one takes no further block',
      explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' }],
    });
    // Beside a relayer that shows no fault, as in the minute before it tries, and without one.
    expect(named(refused)).toEqual(['checkpoint_refused relayer']);
    expect(named(refused, [])).toEqual(['checkpoint_refused']);
    // Another chain, and another contract of the relayer, say more than their consequence.
    expect(named(parent({ onSubnet: { found: 'other' }, next: { number: 991, refusal: 'Parent Missing' } }))).toEqual([
      'contract_of_other_chain relayer',
    ]);
    const created = relayer(10_000, {}, { created: { contract: `0x${'0c'.repeat(20)}` } });
    expect(named(refused, [created])).toEqual(['checkpoint_behind relayer']);
  });

  test('that refuses without words, or with words that nobody knows, says so', () => {
    const told = (refusal: string) => only(parent({ next: { number: 991, refusal } }));
    const fix =
      'compare the version of the contract with the client of the nodes; if they do not fit, deploy a new contract, set CHECKPOINT_CONTRACT in common.env and parentChain.contract of the inventory to its address, and recreate the relayer; the old one takes no further block';
    const why = 'it cannot read the header, or is of a version that subnetd does not know';
    expect(told('')).toMatchObject({
      evidence: `the contract holds block 990; asked by eth_call, it would refuse block 991 without a reason: ${why}`,
      fix,
    });
    expect(told('item is not list')).toMatchObject({
      evidence: `the contract holds block 990; asked by eth_call, it would refuse block 991 with "item is not list": ${why}`,
      fix,
    });
  });

  test('that would take the next block says so beside a relayer that does not submit', () => {
    const block = { hash: '0xaa', number: 900 };
    const evidence = (number: number, latest = block) =>
      only(parent({ latest, committed: block, next: { number } }, { ...still(6 * MINUTE), hasAdvanced: false }), [
        failing('job_failed'),
      ])?.evidence;
    const before =
      'the relayer (FULL) has been failing since its last submission: it fails; the contract is at block 900, 98 blocks (3m 16s) behind the subnet, and has not moved for at least 6m';
    expect(evidence(901)).toBe(`${before}; asked by eth_call, it would take block 901`);
    // It has that one by now.
    expect(evidence(900)).toBe(before);
    // It counts a block as committed once it holds three more.
    expect(evidence(904, { ...block, number: 903 })).toBe(
      `${before}; it holds blocks up to 903, not all committed, and asked by eth_call, it would take block 904`,
    );
  });

  test('stays no second problem beside a relayer that is known not to submit', () => {
    expect(named(parent(at(800), still(6 * MINUTE)), [failing('job_failed')])).toEqual(['relayer_stopped relayer']);
    const stopped = diagnosedService('relayer', { container: STOPPED });
    const dead = {
      ...relayer(),
      facts: { ...relayer().facts, container: stopped.facts.container, service: stopped.facts.service },
    } as KnownTarget;
    expect(named(parent(), [dead])).toEqual(['container_down relayer']);
  });

  test('belongs to another chain when the subnet has another block at its height', () => {
    expect(causesOf(parent({ onSubnet: { found: 'other' } }))[0]?.confirmMs).toBeUndefined();
    expect(only(parent({ onSubnet: { found: 'other' } }))).toEqual({
      problem: 'contract_of_other_chain',
      summary: 'the checkpoint contract belongs to another chain than this subnet',
      evidence: 'the subnet has another block 990 than the contract, as after a reset of the subnet',
      fix: 'deploy a new contract for the new chain, and set CHECKPOINT_CONTRACT in common.env and parentChain.contract of the inventory to its address',
    });
  });

  test('belongs to another chain when it is far above a subnet that makes blocks, and that explains a fork of the relayer', () => {
    const above = parent({ ...at(1_011), onSubnet: { found: 'absent' } });
    const forking = relayer(10_000, { forkAt: NOW - 1_000 });
    const [one, ...more] = causesOf(above, [forking]);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      problem: 'contract_of_other_chain',
      evidence: 'the contract is at block 1011, and the subnet only at 1000, as after a reset of the subnet',
      explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' }],
      confirmMs: 16_000,
    });
    // From less than half of that no node comes up to it soon.
    const confirmMs = (block: number) =>
      causesOf(parent({ ...at(block), onSubnet: { found: 'absent' } }))[0]?.confirmMs;
    expect([confirmMs(2_000), confirmMs(2_001)]).toEqual([16_000, 6_000]);
    expect(named(parent({ ...at(1_010), onSubnet: { found: 'absent' } }))).toEqual([]);
    expect(named(above, [], halted)).toEqual(['subnet_halted']);
  });

  test('that is gone is said by the parent chain, once, with the failure of the relayer', () => {
    const missing: ParentFacts = {
      ...parent(),
      observation: { ...seen, contract: { ok: true, value: { kind: 'missing' } } },
    };
    const [one, ...more] = causesOf(missing, [failing('contract_missing')]);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      problem: 'contract_missing',
      summary: 'the parent chain has no checkpoint contract at its address',
      evidence:
        'the parent chain answers, and has no code at the address of the contract; the contract held block 990 when it last answered',
      fix: 'compare parentChain.contract of the inventory and CHECKPOINT_CONTRACT in common.env with the deployed contract; after a reset of the parent chain deploy it again',
      explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' }],
    });
    expect(one?.confirmMs).toBeUndefined();
    // A chain that was reset has nothing in the wallet either, which is no problem of its own.
    expect(named(missing, [failing('no_funds')])).toEqual(['contract_missing relayer']);
    // Another witness or the next reading confirms it: one node behind a name may be late.
    expect(causesOf(missing)[0]).toMatchObject({ problem: 'contract_missing', confirmMs: 16_000, explains: [] });
  });

  test('that does not answer as one is not called missing', () => {
    const other = { ...parent(), observation: { ...seen, contract: { ok: true, value: { kind: 'other' } } } } as const;
    expect(only(other)).toMatchObject({
      problem: 'contract_missing',
      summary: 'the contract on the parent chain is not a checkpoint contract',
    });
  });

  test('that the log of the relayer misses, and that answers, is another one', () => {
    expect(
      only(parent(at(900), { ...still(6 * MINUTE), hasAdvanced: false }), [failing('contract_missing')]),
    ).toMatchObject({
      problem: 'contract_missing',
      evidence:
        'the relayer (FULL) has been failing since its last submission: it fails; the contract is at block 900, 98 blocks (3m 16s) behind the subnet, and has not moved for at least 6m',
      fix: 'compare CHECKPOINT_CONTRACT in common.env with parentChain.contract of the inventory, and recreate the relayer after a change',
    });
  });

  test('that was read after the log of the relayer has its own time once the problem is no longer seen', () => {
    const targets = [...nodes, failing('job_failed')];
    const judged = judgeTargets(targets, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((check) => ({ ...check, lastRun: NOW - 20_000 })),
    }));
    const said = (readMs: number) => {
      const facts = { parent: parent(at(900), { ...still(6 * MINUTE), readAt: NOW - readMs, hasAdvanced: false }) };
      const view = viewSubnet({ ...subnet, targets: targets.map(({ target }) => target) }, judged, NOW, facts);
      const [one] = listCauses(view);
      if (one === undefined) return undefined;
      const life = { severity: 'warning', alert: 'x', state: 'clearing', since: 0, openedAt: 0, seenAt: NOW } as const;
      return describeEvidence({ ...one, ...life, clearingSince: NOW }, (ms) => ms)
        .replace(/the relayer .*the contract/, '… the contract')
        .split(',')[0];
    };
    expect(said(12_000)).toBe('seen at 1970-01-01 02:46:28 UTC: … the contract was at block 900');
    expect(said(30_000)).toBe('seen at 1970-01-01 02:46:20 UTC: … the contract was at block 900');
  });

  test('that was read a while ago is compared with the blocks that the subnet had then', () => {
    const said = (readMs: number, more: Partial<CheckpointProgress> = { ...still(6 * MINUTE), hasAdvanced: false }) =>
      only(parent(at(900), { ...more, readAt: NOW - readMs, newest: committedAt(950) }), [
        failing('job_failed'),
      ])?.evidence.split('it fails; the contract ')[1];
    expect(said(4_999)).toMatch(
      /^is at block 900, 50 blocks \(1m 40s\) behind the subnet, and has not moved for at least 5m 55s$/,
    );
    const read = 'when it was read 26s ago (02:46:14 UTC)';
    const was = 'was at block 900, 50 blocks (1m 40s) behind the subnet';
    expect(said(26_000)).toBe(`${was}, and had not moved for at least 5m 34s ${read}`);
  });

  test('that was read before the log of the relayer missed it does not speak against that', () => {
    const said = (readMs: number, pattern: string) => {
      const targets = [...nodes, failing(pattern)];
      const judged = judgeTargets(targets, NOW).map((state) => ({
        ...state,
        checks: state.checks.map((check) => ({ ...check, since: NOW - 10_000 })),
      }));
      const [one] = listCauses(
        viewSubnet({ ...subnet, targets: targets.map(({ target }) => target) }, judged, NOW, {
          parent: parent(
            { next: { number: 991 } },
            { readAt: NOW - readMs, advancedAt: NOW - MINUTE, hasAdvanced: false },
          ),
        }),
      );
      return one && [one.problem, one.evidence, one.fix];
    };
    const fails = 'the relayer (FULL) has been failing since its last submission: it fails';
    const is =
      'the contract was at block 990, 8 blocks (16s) behind the subnet, and had not moved for at least 50s when it was read 10s ago (02:46:30 UTC)';
    expect(said(10_001, 'contract_missing')).toEqual([
      'contract_missing',
      fails,
      'run `docker compose -p generated logs --tail 50 relayer`',
    ]);
    expect(said(10_000, 'contract_missing')).toEqual([
      'contract_missing',
      `${fails}; ${is}; asked by eth_call, it would take block 991`,
      'compare CHECKPOINT_CONTRACT in common.env with parentChain.contract of the inventory, and recreate the relayer after a change',
    ]);
    expect(said(10_001, 'job_failed')?.[1]).toContain('would take block 991');
  });

  test.each([
    ['contract_missing', 'contractSince', 'answersSince'],
    ['parent_unreachable', 'answersSince', 'contractSince'],
  ] as const)(
    'or its chain that is there again since the relayer has last said %s is not missed',
    (name, own, other) => {
      const facts = parent(at(900), { ...still(6 * MINUTE), hasAdvanced: false });
      const saidAt = NOW;
      const found = (since: Partial<ParentFacts>) => named({ ...facts, ...since }, [failing(name)]);
      expect(found({ [own]: saidAt, [other]: saidAt + 1 })).toEqual([`${name} relayer`]);
      expect(found({ [own]: saidAt + 1 })).toEqual([]);
    },
  );

  test('that was put back between two readings is not unreachable by what the relayer has said before that', () => {
    const there = parent(at(900)).observation;
    const gone: ParentObservation = { ...there, contract: { ok: true, value: { kind: 'missing' } } };
    const found = (first: ParentObservation, backAt: number) => {
      const read = (before: ParentFacts | undefined, one: ParentObservation, readAt: number) =>
        foldParent(before, one, { at: readAt, wallMs: 3_000 });
      const facts = read(read(undefined, first, NOW - 5_000), there, backAt);
      return named(read(facts, there, backAt + 1), [failing('parent_unreachable')]);
    };
    expect(found(gone, NOW + 1)).toEqual([]);
    expect(found(gone, NOW)).toEqual(['parent_unreachable relayer']);
    const unread: ParentObservation = { ...there, contract: { ok: false, why: 'answers HTTP 500' } };
    for (const first of [there, unread]) expect(found(first, NOW + 1)).toEqual(['parent_unreachable relayer']);
  });

  test('does not say since when a relayer fails for another reason', () => {
    const facts = parent(at(900), { ...still(6 * MINUTE), hasAdvanced: false });
    const again = { answersSince: NOW + 1, contractSince: NOW + 1 };
    expect(named({ ...facts, ...again }, [failing('job_failed')])).toEqual(['relayer_stopped relayer']);
  });

  test('that still moves when the relayer has failed for a while shows that blocks arrive', () => {
    const told = (failsForMs: number, facts = parent(), mode = 'full', relayer = failing('job_failed', mode)) => {
      const targets = [...nodes, relayer];
      const states = judgeTargets(targets, NOW).map((state) => ({
        ...state,
        checks: state.checks.map((check) => ({ ...check, since: NOW - failsForMs })),
      }));
      const all = { ...subnet, targets: targets.map(({ target }) => target) };
      return listCauses(viewSubnet(all, states, NOW, { parent: facts })).map(({ summary, evidence }) => [
        summary,
        evidence,
      ]);
    };
    const stopped = 'the relayer submits no blocks';
    const says = (contract: string) => [
      [
        stopped,
        `the relayer (FULL) has been failing since its last submission: it fails; the contract is at block ${contract}`,
      ],
    ];
    const far = '900, 98 blocks (3m 16s) behind the subnet, and was seen to move just now (02:46:40 UTC)';
    expect(told(40_000, parent(at(900)))).toEqual(says(far));
    expect(told(40_001, parent(at(900)))).toEqual([]);
    // Those of the cycle that has begun are the last ones without its redis.
    expect(told(40_001, parent(at(900)), 'full', withoutRedis()).at(-1)).toEqual([
      'the relayer begins no new cycle',
      expect.stringMatching(/^the redis of the relayer died 45s ago .*; the contract is at block 900, /),
    ]);
    const old = { readAt: NOW - 26_000, advancedAt: NOW - 26_000, newest: committedAt(950) };
    const was = 'fails; the contract was at block 900, 50 blocks (1m 40s) behind the subnet';
    const saidOf = (hasAdvanced: boolean) => told(MINUTE, parent(at(900), { ...old, hasAdvanced }))[0]?.[1];
    expect(saidOf(true)).toContain(`${was}, when it was seen to move 26s ago (02:46:14 UTC)`);
    expect(saidOf(false)).toContain(`${was} when it was read 26s ago (02:46:14 UTC)`);
    const moved = (ms: number) => parent(at(900), { readAt: NOW - ms, advancedAt: NOW - ms });
    expect(told(10 * MINUTE, moved(89_999))).toEqual([]);
    expect(told(10 * MINUTE, moved(90_000))[0]?.[0]).toBe(stopped);
    expect(told(10 * MINUTE, parent(at(900), { hasAdvanced: false }))[0]?.[0]).toBe(stopped);
    // A block that was made after the failure arrived after it too, also if no reading before is known.
    const unread = { hasAdvanced: false, advancedAt: NOW };
    expect(told(16_000, parent({}, unread))).toEqual(says('990, 8 blocks (16s) behind the subnet'));
    expect(told(16_001, parent({}, unread))).toEqual([]);
    const made = (ms: number) =>
      parent({ ...at(990), onSubnet: { found: 'same', timestamp: 5_000 - ms / 1000 } }, unread);
    expect(told(10 * MINUTE, made(89_000))).toEqual([]);
    expect(told(10 * MINUTE, made(90_000))[0]?.[0]).toBe(stopped);
    // Its blocks go to another contract.
    expect(told(10 * MINUTE, parent(), 'zero')[0]?.[0]).toBe(stopped);
  });
});

describe('a parent chain', () => {
  const silent = (why = 'cannot be reached'): ParentFacts => ({
    ...parent(),
    observation: { head: { ok: false, why }, contract: { ok: false, why } },
    unanswered: { since: NOW - MINUTE, probes: 3 },
  });

  test('that answers neither subnetd nor the relayer is one problem, which explains the submissions', () => {
    const [one, ...more] = causesOf(silent(), [failing('parent_unreachable')]);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      problem: 'parent_unreachable',
      component: 'relayer',
      summary: 'the parent chain does not answer',
      evidence:
        'the parent chain has not been readable for 1m: its node cannot be reached, and the relayer submits nothing',
      fix: 'start the node of the parent chain or open the way to it, or name another one in PARENTNET_URL and parentChain.rpc',
      explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' }],
    });
    expect(one?.confirmMs).toBeUndefined();
    expect(causesOf(silent(), [])[0]).toMatchObject({ problem: 'parent_unreachable', confirmMs: 16_000 });
  });

  test('that ended as Docker was stopped is to be waited for while Docker has just started again', () => {
    const fixAfter = (backMs: number, stoppedAt = NOW - MINUTE - 1_000) => {
      const engineDown = { from: stoppedAt, to: NOW - backMs };
      const known = nodes.map((one) => {
        const { container } = one.facts;
        return container ? { ...one, facts: { ...one.facts, container: { ...container, engineDown } } } : one;
      });
      return causesOf(silent(), [failing('parent_unreachable')], known)[0]?.fix;
    };
    expect(fixAfter(19_999)).toBe(
      'wait a moment: Docker has just started again, and the node of the parent chain may start with it',
    );
    expect(fixAfter(20_000)).toMatch(/^start the node of the parent chain/);
    // It was silent before.
    expect(fixAfter(3_000, NOW - 40_000)).toMatch(/^start the node of the parent chain/);
  });

  test('has been silent until it was last asked, and what is seen of it is of then', () => {
    const [one] = causesOf({ ...silent(), at: NOW - 9_000 }, [failing('parent_unreachable')]);
    expect([one?.readAt, one?.evidence]).toEqual([
      NOW - 9_000,
      'the parent chain has not been readable for 51s: its node cannot be reached, and the relayer submits nothing',
    ]);
  });

  test('that only subnetd does not reach is not a page, as the relayer submits', () => {
    expect(only(silent('answers HTTP 429'))).toEqual({
      problem: 'parent_unseen',
      summary: 'subnetd cannot read the parent chain',
      evidence:
        'the parent chain has not been readable for 1m: its node answers HTTP 429, while the relayer submits; whether its blocks arrive is not known',
      fix: 'see that parentChain.rpc of the inventory is reached from here, or name the node of PARENTNET_URL there',
    });
    const unread = { ...parent(), observation: { ...seen, contract: { ok: false, why: 'answers HTTP 429' } } } as const;
    expect(only(unread)).toMatchObject({
      problem: 'parent_unseen',
      summary: 'subnetd cannot read the checkpoint contract',
      evidence: 'the node of the parent chain gives its newest block, and for the contract it answers HTTP 429',
    });
  });

  test('that has not taken a block of the relayer since either may be down, unless it takes one an epoch', () => {
    expect(causesOf(silent(), [relayer(10_000, { submittedAt: NOW - MINUTE - 1 })])[0]).toMatchObject({
      problem: 'parent_unreachable',
      summary: 'the parent chain does not answer',
      evidence:
        'the parent chain has not been readable for 1m: its node cannot be reached, and the relayer has submitted nothing since',
      confirmMs: 16_000,
    });
    const attempt = (at: number) => ({
      submittedAt: NOW - MINUTE - 1,
      byMode: { full: { phase: 'attempt', phaseAt: at, attempted: true } } as const,
    });
    const said = (at: number) => causesOf(silent(), [relayer(10_000, attempt(at))])[0]?.evidence.split(', and ')[1];
    expect([said(NOW - MINUTE), said(NOW - MINUTE - 1)]).toEqual([
      'the relayer is submitting again',
      'the relayer has submitted nothing since',
    ]);
    expect(causesOf(silent(), [relayer(10_000, { submittedAt: NOW - MINUTE })])[0]).toMatchObject({
      problem: 'parent_unseen',
      evidence:
        'the parent chain has not been readable for 1m: its node cannot be reached, while the relayer submits; whether its blocks arrive is not known',
    });
    const queue = {
      mode: 'full',
      isPaused: false,
      active: 0,
      waiting: 0,
      delayed: 0,
      completed: 9,
      failed: 0,
    } as const;
    const byQueue = (completedAt: number): KnownTarget => {
      const { container: _, ...target } = diagnosedService('relayer').target;
      const service = { observation: { ok: true, value: {} } as const, queues: [{ ...queue, since: 0, completedAt }] };
      return { target, facts: { service } } as KnownTarget;
    };
    expect(named(silent(), [byQueue(NOW - MINUTE - 1)])[0]).toBe('parent_unreachable relayer');
    expect(named(silent(), [byQueue(NOW - MINUTE)])[0]).toBe('parent_unseen relayer');
    // Its log knows better than a queue, of which a job was seen to be done some time after it was.
    const both = relayer(10_000, { submittedAt: NOW - MINUTE - 1 });
    const { service } = byQueue(NOW).facts;
    expect(named(silent(), [{ ...both, facts: { ...both.facts, ...(service && { service }) } }])[0]).toBe(
      'parent_unreachable relayer',
    );
    const { progress: _, ...unread } = silent();
    const submittedAt = NOW - MINUTE - 1;
    const byMode = { lite: { cycleAt: NOW, phase: 'done', phaseAt: NOW, submittedAt, attempted: false } } as const;
    const lite = relayer(10_000, { submittedAt, modes: ['lite'], byMode });
    expect(causesOf(unread, [lite])[0]).toMatchObject({
      problem: 'parent_unseen',
      evidence:
        'the parent chain has not been readable for 1m: its node cannot be reached, while the relayer shows no fault; whether its blocks arrive is not known',
    });
  });

  test('is not blamed when subnetd reaches no node either', () => {
    const fault = { kind: 'unreachable', address: 'http://192.0.2.1:8545', code: 'ENETUNREACH' } as const;
    const cut = NAMES.map((name) => diagnosedNode(name, NAMES, { fault, stalledMs: 30_000 }));
    expect(named(silent(), [relayer()], cut)).toEqual(['monitor_offline']);
  });

  test('is not blamed when subnetd has reached nothing since its start, unless something else is seen', () => {
    const fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } as const;
    const observation = { answered: false, latest: { ok: false, fault }, peers: { ok: false, fault } } as const;
    const { target: served } = diagnosedService('relayer');
    const dark = { target: served, facts: { service: { observation: { ok: false, fault } } } } as KnownTarget;
    const unmet = NAMES.map((name) => {
      const { container: _, ...target } = diagnosedNode(name, NAMES).target;
      return { target, facts: { node: { observation } } } as KnownTarget;
    });
    const [one, ...more] = causesOf(silent(), [dark], unmet);
    expect(more).toEqual([]);
    expect(one).toMatchObject({
      problem: 'never_reached',
      fix: 'check the network link and the name server of the machine of subnetd, then the addresses under rpc in the inventory; if they are right, begin with n1: check whether it hangs, and read the log of the node n1',
    });
    // A service, a container, or the parent chain: then there is a network.
    const fixes = (...given: Parameters<typeof causesOf>) =>
      causesOf(...given).flatMap(({ problem, fix }) => (problem === 'never_reached' ? fix.split(';')[0] : problem));
    const found = NAMES.map((name) => {
      const { target, facts } = diagnosedNode(name, NAMES);
      return { target, facts: { node: { observation }, container: facts.container } } as KnownTarget;
    });
    const addresses = 'check the addresses under rpc in the inventory';
    expect(fixes(silent(), [diagnosedService('relayer')], unmet)).toEqual([addresses, 'parent_unreachable']);
    expect(fixes(silent(), [dark], [...found.slice(0, 1), ...unmet.slice(1)])).toEqual([
      addresses,
      'parent_unreachable',
    ]);
    expect(fixes(parent(), [dark], unmet)[0]).toBe(addresses);
  });

  test('with another chain id than at first is that problem alone, whatever its contract says', () => {
    const other: ParentFacts = {
      ...parent(),
      observation: {
        ...seen,
        chainId: { ok: true, value: 31_337 },
        contract: { ok: true, value: { kind: 'missing' } },
      },
    };
    expect(only(other)).toEqual({
      problem: 'parent_other_chain',
      summary: 'another chain answers in the place of the parent chain',
      evidence: 'its node gives the chain id 31337, and gave 551 when subnetd first asked',
      fix: 'name a node of the right chain in PARENTNET_URL and parentChain.rpc; when the new chain is the right one, restart subnetd',
    });
  });

  test('whose newest block is two minutes old is behind, and its contract is not judged', () => {
    expect(named({ ...parent(), headAgeMs: 119_999 })).toEqual([]);
    expect(named({ ...parent(), headAgeMs: 120_000 })).toEqual(['parent_behind relayer']);
    const old = { ...parent(at(500), still(10 * MINUTE)), headAgeMs: 600_000 };
    expect(only(old)).toEqual({
      problem: 'parent_behind',
      summary: 'the node of the parent chain is behind',
      evidence: 'its newest block, 77, is 10m old by our clock',
      fix: 'ask another node of the parent chain: if that one is higher, name it in PARENTNET_URL and parentChain.rpc, else the parent chain has halted',
    });
    expect(only({ ...old, highest: 154 })?.fix).toMatch(/^ask another node/);
    expect(only({ ...old, highest: 155 })).toMatchObject({
      evidence: 'its newest block, 77, is 10m old by our clock, and it was at 155 before',
      fix: 'if the parent chain was wiped or replaced, deploy the checkpoint contract there again; else name a node that has all blocks in PARENTNET_URL and parentChain.rpc',
    });
  });
});

describe('a parent chain of a known pace', () => {
  /** One whose newest block is this old, and was given by readings over this time. */
  const standing = (paceMs: number, headAgeMs: number, overMs: number): ParentFacts => ({
    ...parent(),
    observation: { ...parent().observation, paceMs },
    headAgeMs,
    headSince: NOW - overMs,
  });

  test('whose newest block stays the same for ten blocks shows no new blocks', () => {
    expect(only(standing(2_000, 41_000, 31_000))).toEqual({
      problem: 'parent_behind',
      summary: 'the node of the parent chain shows no new blocks',
      evidence:
        'its newest block, 77, is 41s old by our clock; readings over 31s show no newer one, and until then one came every 2s',
      fix: 'ask another node of the parent chain: if that one is higher, name it in PARENTNET_URL and parentChain.rpc, else the parent chain has halted',
    });
    const readBefore = { ...standing(2_000, 41_000, 46_000), at: NOW - 15_000 };
    expect(only(readBefore)?.evidence).toBe(
      'its newest block, 77, was 41s old by our clock when it was read 15s ago (02:46:25 UTC); readings over 31s show no newer one, and until then one came every 2s',
    );
    // The age counts for its confirmation, which takes as long as five blocks more.
    expect(causesOf(standing(2_000, 41_000, 31_000))[0]).toMatchObject({ lastedMs: 41_000, confirmMs: 30_000 });
    expect(causesOf(standing(12_000, 150_000, 90_000))[0]).toMatchObject({ lastedMs: 150_000, confirmMs: 180_000 });
    expect(named(standing(2_000, 19_999, 19_000))).toEqual([]);
    expect(named(standing(2_000, 20_000, 19_000))).toEqual(['parent_behind relayer']);
    // A faster one may need as long for a round that times out.
    expect(named(standing(250, 19_999, 19_000))).toEqual([]);
    expect(named(standing(250, 20_000, 19_000))).toEqual(['parent_behind relayer']);
    expect(named(standing(12_000, 119_999, 90_000))).toEqual([]);
    expect(named(standing(12_000, 120_000, 90_000))).toEqual(['parent_behind relayer']);
    expect(named(standing(20_000, 199_999, 190_000))).toEqual([]);
    expect(named(standing(20_000, 200_000, 190_000))).toEqual(['parent_behind relayer']);
  });

  test('is not called old by our clock alone, which may be wrong, before two minutes', () => {
    expect(named(standing(2_000, 60_000, 7_999))).toEqual([]);
    expect(named(standing(2_000, 60_000, 8_000))).toEqual(['parent_behind relayer']);
    expect(named(standing(2_000, 119_999, 0))).toEqual([]);
    expect(only(standing(2_000, 120_000, 0))).toMatchObject({
      summary: 'the node of the parent chain is behind',
      evidence: 'its newest block, 77, is 2m old by our clock',
    });
    // Ten blocks of a slow one take longer than that.
    expect(named(standing(20_000, 199_999, 0))).toEqual([]);
    expect(named(standing(20_000, 200_000, 0))).toEqual(['parent_behind relayer']);
  });
});

test('a contract that was there and is gone is said by an old block too, beside that block, and one that was never seen is not', () => {
  const { progress, ...never } = parent();
  const gone = {
    headAgeMs: 600_000,
    observation: { ...seen, contract: { ok: true, value: { kind: 'missing' } } },
  } as const;
  expect(named({ ...never, progress, ...gone } as ParentFacts)).toEqual([
    'parent_behind relayer',
    'contract_missing relayer',
  ]);
  expect(named({ ...never, ...gone })).toEqual(['parent_behind relayer']);
  expect(named({ ...parent({ onSubnet: { found: 'other' } }), headAgeMs: 600_000 })).toEqual([
    'parent_behind relayer',
    'contract_of_other_chain relayer',
  ]);
});

test('a problem that the parent chain shows can be over before Docker has said anything about the relayer', () => {
  const { container: _, ...facts } = relayer().facts;
  const unseen = judgeTargets([{ ...relayer(), facts }], NOW);
  const ref = { component: 'relayer', name: 'relayer' } as const;
  const judged = (problem: 'checkpoint_behind' | 'relayer_dead') => isJudged(indexSubjects(unseen)(ref), problem);
  expect([judged('checkpoint_behind'), judged('relayer_dead')]).toEqual([true, false]);
});

/** The same node at another height. */
function withHeight(known: KnownTarget, height: number): KnownTarget {
  const { node } = diagnosedNode(known.target.name, NAMES, { height }).facts;
  const committed = known.facts.node?.committed;
  if (node === undefined || committed === undefined) throw new Error('the node has heights');
  return { ...known, facts: { ...known.facts, node: { ...node, committed: { ...committed, number: height - 2 } } } };
}

const stays = { ...still(6 * MINUTE), hasAdvanced: false };

describe('a halt', () => {
  const gone: ParentFacts = {
    ...parent(),
    observation: { ...seen, contract: { ok: true, value: { kind: 'missing' } } },
  };
  /** The words of the check of a relayer, as people read them, and the problems. */
  const told = (facts: ParentFacts, service: KnownTarget, known = halted) => {
    const targets = [...known, service];
    const judged = judgeTargets(targets, NOW);
    const of = { ...subnet, targets: targets.map(({ target }) => target) };
    const { problems } = diagnoseSubnet(of, judged, NO_PROBLEMS, NOW, { facts: { parent: facts } });
    const check = explainTargets(judged, problems)
      .at(-1)
      ?.checks.find((one) => one.check === 'submissions');
    return [check && formatReason(check), problems.map(({ problem }) => problem)];
  };
  const failed = 'the relayer (FULL) has been failing since its last submission: it fails';

  test('takes no contract away: that has its own cause and its own problem', () => {
    expect(told(gone, failing('contract_missing'))).toEqual([
      `${failed}; compare parentChain.contract of the inventory and CHECKPOINT_CONTRACT in common.env with the deployed contract; after a reset of the parent chain deploy it again`,
      ['subnet_halted', 'contract_missing'],
    ]);
  });

  test('explains that there is nothing to submit, and a node that the relayer cannot read', () => {
    const idle = { cycleAt: NOW, phase: 'done', phaseAt: NOW, attempted: false } as const;
    expect(told(parent(), relayer(6 * MINUTE, { byMode: { full: idle } }))).toEqual([
      'the relayer (FULL) has submitted nothing for 1h (limit 5m) although its cycles go on: the subnet commits no new blocks, or is behind its contract, because the subnet is halted',
      ['subnet_halted'],
    ]);
    expect(told(parent(), failing('subnet_unreachable'))).toEqual([
      `${failed}, because the subnet is halted`,
      ['subnet_halted'],
    ]);
  });

  test('explains no other fault of the relayer', () => {
    expect(told(parent({}, stays), failing('submit_failed'))[1]).toEqual(['subnet_halted', 'relayer_stopped']);
  });
});

test('a contract of another chain does not keep the relayer from its node', () => {
  const other = parent({ ...at(800), onSubnet: { found: 'other' } }, stays);
  expect(named(other, [failing('subnet_unreachable')])).toEqual([
    'contract_of_other_chain relayer',
    'relayer_stopped relayer',
  ]);
  expect(named(other, [failing('block_not_in_contract')])).toEqual(['contract_of_other_chain relayer']);
});

describe('a relayer that submits nothing before it is found what that comes from', () => {
  const idle = { cycleAt: NOW, phase: 'done', phaseAt: NOW, attempted: false } as const;
  const silent = relayer(6 * MINUTE, { byMode: { full: idle } });
  const stalled = nodes.map(({ target, facts }) => {
    const committed = facts.node?.committed && { ...facts.node.committed, advancedAt: NOW - 2 * MINUTE };
    return { target, facts: { ...facts, node: { ...facts.node, committed } } } as KnownTarget;
  });

  /** What people read after each of these moments: the headline, the problems, and the incidents with how long they lasted. */
  function tell(...moments: readonly (readonly [number, readonly KnownTarget[], ParentFacts?])[]) {
    let followed = NO_PROBLEMS;
    let incidents = NO_INCIDENTS;
    return moments.map(([ms, targets, parent]) => {
      const of = { ...subnet, targets: targets.map(({ target }) => target) };
      const [judged, now] = [judgeTargets(targets, NOW), NOW + ms];
      const found = diagnoseSubnet(of, judged, followed, now, { facts: parent && { parent } });
      const { problems, headline } = found;
      followed = found;
      incidents = followIncidents(incidents, [{ ...found, subnet: of, targets: judged, plannedWork: [] }], {
        ...{ now, toWall: (at) => at },
      });
      return [
        headline?.sentence,
        ...problems.map((one) => `${one.state}: ${one.summary}`),
        ...[...incidents.open.values()].map((one) => `${one.last.summary}: ${describeLasting(one, now)}`),
      ];
    });
  }

  test('is refused by its contract from the first reading of that on, in one problem', () => {
    const all = [...nodes, failing('reverted')];
    const next = { number: 991, refusal: 'Mismatched Validators' };
    const read = {
      ...parent({ next }, { ...still(6 * MINUTE), hasAdvanced: false }),
      contractSince: NOW - 20_000,
    };
    const [alone, suspected, open] = tell([-26_000, all], [-20_000, all, read], [-4_000, all, read]);
    expect(alone?.slice(1)).toEqual(['suspected: the relayer submits no blocks']);
    expect(suspected?.slice(1)).toEqual(['suspected: the checkpoint contract refuses the next block']);
    expect(open).toEqual([
      'devnet is running, but the checkpoint contract refuses the next block',
      'open: the checkpoint contract refuses the next block',
      'the checkpoint contract refuses the next block: lasted 16 s',
    ]);
  });

  test('has failed before its contract was deployed, which takes no block until it has the first ones', () => {
    const all = [...nodes, failing('reverted')];
    const first = { hash: '0xaa', number: 0 };
    const next = { number: 1, refusal: 'Parent Missing' };
    const read = {
      ...parent({ latest: first, committed: first, next }, { ...still(6 * MINUTE), hasAdvanced: false }),
      contractSince: NOW - 20_000,
    };
    const [deployed, soon, later] = tell([-20_000, all, read], [0, all, read], [20_000, all, read]);
    for (const seen of [deployed, soon])
      expect(seen?.filter((line) => line?.includes('checkpoint contract'))).toEqual([]);
    expect(later).toContain('suspected: the checkpoint contract refuses the next block');
  });

  test('has not ended where the subnet commits no blocks, and is told as part of that', () => {
    const [, open, suspected, found] = tell(
      [-60_000, [...nodes, silent]],
      [-40_000, [...nodes, silent]],
      [-30_000, [...stalled, silent]],
      [0, [...stalled, silent]],
    );
    expect(open).toEqual([
      'devnet is running, but the relayer submits no blocks',
      'open: the relayer submits no blocks',
      'the relayer submits no blocks: lasted 20 s',
    ]);
    expect(suspected).toEqual([
      'devnet is running, but the relayer submits no blocks',
      'open: the relayer submits no blocks',
      'suspected: the subnet commits no blocks',
      'the relayer submits no blocks: lasted 30 s',
    ]);
    expect(found).toEqual([
      'devnet commits no blocks',
      'open: the subnet commits no blocks',
      'the subnet commits no blocks: lasted 30 s',
      'the relayer submits no blocks: lasted 1 min, then became part of another problem (the subnet commits no blocks)',
    ]);
  });
});
