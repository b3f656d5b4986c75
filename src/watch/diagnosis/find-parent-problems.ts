import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { formatCount } from '../../lib/words.ts';
import { explainRefusal } from '../../model/explain-refusal.ts';
import { failsNow } from '../../model/observation.ts';
import {
  type CheckpointProgress,
  type ContractReading,
  headLimitMs,
  OLD_READING_MS,
  type ParentFacts,
  type ParentResult,
  standsSince,
  toAddress,
} from '../../model/parent-chain.ts';
import type { Problem, Suspicion } from '../../model/problem.ts';
import type { ProblemName } from '../../model/problem-catalog.ts';
import { readLite } from '../../model/relay.ts';
import { endedWithEngine, SERVICE_START_MS, START_MS } from '../../model/restart-cause.ts';
import { catchesUp, describeContract, findAllowedLag, findLag } from './parent-view.ts';
import { type SubnetView, startedAtOf } from './subnet-view.ts';
import { type Found, refsTo, suspect, type Texts } from './suspect.ts';

/** Whether the relayer has failed for another reason since it was last found unable to pay. */
export function failsOtherwise({ problem, seenAt }: Problem, view: SubnetView): boolean {
  if (problem !== 'wallet_without_funds') return false;
  return view.relayer.errors.some(({ pattern, at }) => pattern !== 'no_funds' && at > seenAt);
}

/** After one that shows a fault, the next reading comes at most 10 s later, and may take 5 s. */
const NEXT_READING_MS = 16_000;

/** A shorter time without an answer is not mentioned: there was only one probe. */
const SHORT_MS = 1_000;

export function suspectParent(view: SubnetView, problem: ProblemName, texts: Texts & Partial<Suspicion>): Suspicion {
  const { subject, explained } = view.relayer;
  return suspect(problem, {
    ...subject,
    readAt: view.facts.parent?.at,
    causes: refsTo(subject, 'packets_stuck'),
    ...texts,
    explains: explained.byParent,
  });
}

/** For a problem that a second witness must confirm: a relayer that submits nothing, or else the next reading. */
const toSecondWitness = (view: SubnetView) => (view.relayer.submits === false ? undefined : NEXT_READING_MS);

function findUnanswered(view: SubnetView, parent: ParentFacts): Found {
  const { observation, unanswered, at } = parent;
  const { head } = observation;
  if (head.ok || unanswered === undefined) return undefined;
  // The outage has lasted for so long as was read; what its node does now may be newer.
  const lastedMs = at - unanswered.since;
  const its =
    lastedMs < SHORT_MS
      ? 'the node of the parent chain'
      : `the parent chain has not been readable for ${formatDuration(lastedMs)}: its node`;
  const seen = `${its} ${head.why}`;
  const { log, mode, submissions, submits: shows, submittedAt } = view.relayer;
  // A queue that is seen to have completed a job may have done so before.
  const isOfLog = submissions?.verdict === 'pass';
  const hasSubmitted = (isOfLog ? (log?.submittedAt ?? 0) : submittedAt) >= unanswered.since;
  const isTrying = Object.values(log?.byMode ?? {}).some(
    (one) => one.phase === 'attempt' && one.phaseAt >= unanswered.since,
  );
  const submitted = isTrying ? 'is submitting again' : 'has submitted nothing since';
  // In lite mode an epoch lies between two submissions.
  if (shows && (hasSubmitted || mode === 'lite'))
    return suspectParent(view, 'parent_unseen', {
      summary: 'subnetd cannot read the parent chain',
      evidence: `${seen}, while the relayer ${hasSubmitted ? 'submits' : 'shows no fault'}; whether its blocks arrive is not known`,
      fix: head.fix
        ? `${head.fix} (parentChain.rpc)`
        : 'see that parentChain.rpc of the inventory is reached from here, or name the node of PARENTNET_URL there',
    });
  // It may run where Docker was stopped, and have been started again with it.
  const isNew = view.targets.some(({ state: { facts }, container }) => {
    const backMs = at - (facts.container?.engineDown?.to ?? 0);
    return (
      backMs < SERVICE_START_MS && container.kind !== 'unknown' && endedWithEngine(facts.container, unanswered.since)
    );
  });
  return suspectParent(view, 'parent_unreachable', {
    summary: head.fix ? 'the parent chain cannot be read' : 'the parent chain does not answer',
    evidence: `${seen}${shows === undefined ? '' : `, and the relayer ${shows ? submitted : 'submits nothing'}`}`,
    fix: head.fix
      ? `${head.fix} (parentChain.rpc, and PARENTNET_URL of the relayer if it is the same)`
      : isNew
        ? 'wait a moment: Docker has just started again, and the node of the parent chain may start with it'
        : 'start the node of the parent chain or open the way to it, or name another one in PARENTNET_URL and parentChain.rpc',
    confirmMs: toSecondWitness(view),
  });
}

function findOtherChain(view: SubnetView, { observation: { chainId }, firstChainId }: ParentFacts): Found {
  if (!chainId?.ok || firstChainId === undefined || chainId.value === firstChainId) return undefined;
  return suspectParent(view, 'parent_other_chain', {
    summary: 'another chain answers in the place of the parent chain',
    evidence: `its node gives the chain id ${chainId.value}, and gave ${firstChainId} when subnetd first asked`,
    fix: 'name a node of the right chain in PARENTNET_URL and parentChain.rpc; when the new chain is the right one, restart subnetd',
  });
}

/** A chain that stands is confirmed by its own pace, when half as many blocks again are missing as made it a suspicion. */
export const CONFIRMED_AT = 1.5;

/** Whether the chain is far below where it was, as after it was wiped. */
export const hasFallen = ({ observation: { head }, highest: before = 0 }: ParentFacts): boolean =>
  head.ok && head.value.number * 2 < before;

function findOldHead(view: SubnetView, parent: ParentFacts): Found {
  const { observation, headAgeMs = 0, highest: before = 0, at } = parent;
  const { head, paceMs } = observation;
  const limitMs = headLimitMs(parent);
  if (!head.ok || headAgeMs < limitMs) return undefined;
  const since = standsSince(parent);
  const fell = hasFallen(parent);
  const [is, read] =
    view.now - at >= OLD_READING_MS ? ['was', ` when it was read ${formatMoment(at, view)}`] : ['is', ''];
  const age = `its newest block, ${head.value.number}, ${is} ${formatDuration(headAgeMs)} old by our clock${read}${fell ? `, and it was at ${before} before` : ''}`;
  const fix = fell
    ? 'if the parent chain was wiped or replaced, deploy the checkpoint contract there again; else name a node that has all blocks in PARENTNET_URL and parentChain.rpc'
    : 'ask another node of the parent chain: if that one is higher, name it in PARENTNET_URL and parentChain.rpc, else the parent chain has halted';
  if (paceMs === undefined || since === undefined) {
    const summary = 'the node of the parent chain is behind';
    return suspectParent(view, 'parent_behind', { summary, evidence: age, fix });
  }
  return suspectParent(view, 'parent_behind', {
    summary: 'the node of the parent chain shows no new blocks',
    evidence: `${age}; readings over ${formatDuration(at - since)} show no newer one, and until then one came every ${formatDuration(paceMs)}`,
    fix,
    lastedMs: headAgeMs,
    confirmMs: limitMs * CONFIRMED_AT,
  });
}

/** What somebody has set up, or submitted, before may be seen this much later: two readings of a contract are half a minute apart. */
const SEEN_AFTER_MS = 40_000;

/** Whoever moves a contract changes the two settings one after the other. */
const ELSEWHERE_MS = 30_000;

/** What a chain that was reset brings: the wallet has nothing there either. */
const BROUGHT_BY_RESET: readonly ProblemName[] = ['wallet_without_funds', 'wallet_low', 'wallet_nearly_empty'];

function findMissing(view: SubnetView, { kind }: ContractReading, { progress }: ParentFacts): Found {
  if (kind === 'checkpoint') return undefined;
  const isGone = kind === 'missing';
  const before = progress
    ? `; the contract held block ${progress.checkpoint.committed.number} when it last answered`
    : '';
  return suspectParent(view, 'contract_missing', {
    summary: isGone
      ? 'the parent chain has no checkpoint contract at its address'
      : 'the contract on the parent chain is not a checkpoint contract',
    evidence: `the parent chain ${isGone ? 'answers, and has no code at the address of the contract' : 'has a contract at the address, and it does not answer getLatestBlocks'}${before}`,
    fix: 'compare parentChain.contract of the inventory and CHECKPOINT_CONTRACT in common.env with the deployed contract; after a reset of the parent chain deploy it again',
    causes: isGone && progress ? refsTo(view.relayer.subject, ...BROUGHT_BY_RESET) : [],
    confirmMs: toSecondWitness(view),
  });
}

/** The contract holds a block that the subnet does not have. */
function findOldContract(view: SubnetView, { checkpoint }: CheckpointProgress): Found {
  const { committed, onSubnet } = checkpoint;
  const { reference, nodes, subnet } = view;
  const isAbove = reference !== undefined && committed.number > reference + subnet.settings.rpc.maxLag;
  const isAbsent = onSubnet?.found === 'absent' && isAbove && nodes.some(({ rises }) => rises);
  if (onSubnet?.found !== 'other' && !isAbsent) return undefined;
  return suspectParent(view, 'contract_of_other_chain', {
    summary: 'the checkpoint contract belongs to another chain than this subnet',
    evidence: isAbsent
      ? `the contract is at block ${committed.number}, and the subnet only at ${reference}, as after a reset of the subnet`
      : `the subnet has another block ${committed.number} than the contract, as after a reset of the subnet`,
    fix: 'deploy a new contract for the new chain, and set CHECKPOINT_CONTRACT in common.env and parentChain.contract of the inventory to its address',
    // Each round of the nodes shows it again, before the next reading does. From far below none catches up until the next one.
    confirmMs: isAbsent ? (reference * 2 < committed.number ? 6_000 : NEXT_READING_MS) : undefined,
  });
}

/** The relayer was created with another contract than the one that is read, so that it cannot follow the subnet. */
function findElsewhere(view: SubnetView): Found {
  const { service: relayer } = view.relayer;
  const { logs, container } = relayer?.state.facts ?? {};
  const submittedTo = logs?.created?.contract;
  const { contract } = view.subnet.parentChain ?? {};
  if (submittedTo === undefined || contract === undefined || toAddress(contract) === submittedTo) return undefined;
  // What a reload of the inventory has named was not wrong before.
  const { contractSince = view.now } = view.facts.parent ?? {};
  const isReloaded = contractSince - (container?.runsSince ?? contractSince) > START_MS;
  const startedAt = (relayer && startedAtOf(relayer)) ?? view.now;
  return suspectParent(view, 'checkpoint_behind', {
    about: submittedTo,
    lastedMs: isReloaded ? undefined : view.now - startedAt,
    summary: 'the relayer submits to another contract than the inventory names',
    evidence: `CHECKPOINT_CONTRACT of its container is ${submittedTo}, and parentChain.contract of the inventory is ${toAddress(contract)}`,
    fix: 'correct parentChain.contract if the contract has moved; else correct CHECKPOINT_CONTRACT in common.env and recreate the relayer',
    confirmMs: ELSEWHERE_MS,
  });
}

/** What a checkpoint contract would say to the next block, before the relayer has tried or beside what its log shows. */
function findRefused(view: SubnetView, { checkpoint: { next, latest } }: CheckpointProgress): Found {
  if (next?.refusal === undefined) return undefined;
  const { number, refusal } = next;
  const { cause, fix } = explainRefusal(refusal);
  const words = refusal === '' ? 'without a reason' : `with "${refusal}"`;
  return suspectParent(view, 'checkpoint_refused', {
    summary: 'the checkpoint contract refuses the next block',
    evidence: `the contract holds block ${latest.number}; asked by eth_call, it would refuse block ${number} ${words}: ${cause}`,
    fix,
  });
}

/** The contract does not follow the subnet, although nothing else is known to keep the relayer from submitting. */
function findBehind(view: SubnetView, progress: CheckpointProgress): Found {
  const lag = findLag(view);
  const { service: relayer, log, mode, submissions, submits } = view.relayer;
  // What keeps the relayer from submitting is a problem of its own.
  if (lag === undefined || mode === 'reverse_full' || submits === false) return undefined;
  const allowed = findAllowedLag(view, mode);
  const hasManyBlocks = lag.blocks > allowed.blocks;
  // A subnet that was halted leaves a gap in the times of its blocks: only a contract that stays there is late.
  const isLate = lag.ms > allowed.ms && progress.readAt - progress.advancedAt > allowed.ms;
  if (!(hasManyBlocks || isLate) || catchesUp(view, progress)) return undefined;
  // Nothing was read of what it has brought since it submits again.
  if (submits && (submissions?.since ?? 0) > progress.readAt) return undefined;
  const { submittedAt = 0 } = log ?? {};
  // Its first cycle begins within a minute, and the contract moves a moment after that.
  const startedAt = (relayer && startedAtOf(relayer)) ?? Number.NEGATIVE_INFINITY;
  const isNew = view.now - startedAt < 2 * START_MS;
  const { missed, buffered = 0 } = readLite(view.facts, view.reference) ?? {};
  const lite =
    missed === undefined ? '' : `; it misses ${missed} of its checkpoints, and ${buffered} are not yet committed`;
  const stats = view.services.find(({ state }) => state.target.component === 'stats')?.state.facts.service?.stats;
  const shown = stats?.reading.relayer;
  const backlog = shown && formatCount(shown.backlog, 'block', 'blocks');
  const stated =
    shown && `; the stats server shows the relayer as ${shown.isUp ? 'UP' : 'DOWN'} with a backlog of ${backlog}`;
  const seen = `${describeContract(view, progress)} (${mode} mode, limit ${allowed.blocks} blocks)${lite}${stated ?? ''}`;
  return suspectParent(view, 'checkpoint_behind', {
    summary: 'the checkpoint on the parent chain is behind the subnet',
    evidence:
      submits && !isNew
        ? `${seen}; the relayer ${submittedAt <= Math.max(view.facts.parent?.contractSince ?? 0, startedAt) ? 'shows no fault' : `says that it submitted ${formatMoment(submittedAt, view)}`}`
        : seen,
    fix: isNew
      ? 'wait two minutes: the relayer has just started, and has these blocks to submit'
      : submits
        ? 'see that CHECKPOINT_CONTRACT in common.env is parentChain.contract of the inventory, and whether the transactions of the wallet fail on the parent chain'
        : 'see that the relayer runs, and read its log',
  });
}

function findUnread(view: SubnetView, { why, fix }: Extract<ParentResult<unknown>, { ok: false }>): Suspicion {
  return suspectParent(view, 'parent_unseen', {
    summary: 'subnetd cannot read the checkpoint contract',
    evidence: `the node of the parent chain gives its newest block, and for the contract it ${why}`,
    fix: fix
      ? `${fix} (parentChain.rpc)`
      : 'name a node in parentChain.rpc that answers eth_call and eth_getCode, and does not limit subnetd',
  });
}

/** What the parent chain and its contract say. The first leaves nothing to say of the others, but for a chain that has halted. */
export function findParentProblems(view: SubnetView): readonly Suspicion[] {
  const { parent } = view.facts;
  if (parent === undefined) return [];
  const { observation, progress, contractSince = 0 } = parent;
  const { contract } = observation;
  const other = findUnanswered(view, parent) ?? findOtherChain(view, parent);
  if (other !== undefined) return [other];
  const behind = findOldHead(view, parent);
  // An old block shows the contract too, unless the node that is behind has never shown it.
  const shown = contract?.ok && (progress || !behind) ? contract.value : undefined;
  const wrong = shown && (findMissing(view, shown, parent) ?? (progress && findOldContract(view, progress)));
  const broken = [behind, wrong].filter((one) => one !== undefined);
  if (broken.length > 0 || contract === undefined) return broken;
  if (!contract.ok) return [findUnread(view, contract)];
  // What a contract refuses that is there, or first read, since a moment ago says nothing yet, unless the relayer fails, nor does its pace.
  // While it holds no block yet, the relayer may fail because of the contract before it.
  const fails = view.relayer.submits === false && progress?.checkpoint.latest.number !== 0;
  const known = view.now - contractSince < SEEN_AFTER_MS && !fails ? undefined : progress;
  const found = findElsewhere(view) ?? (known && (findRefused(view, known) ?? findBehind(view, known)));
  return [found ?? []].flat();
}

/** At least every second reading of a contract that moves shows that. */
const MOVED_WITHIN_MS = 90_000;

/** Whether blocks have arrived since the relayer has failed: the contract moved, or holds a block that was made after that. */
function arrivesSince(since: number, { hasAdvanced, advancedAt }: CheckpointProgress, view: SubnetView): boolean {
  const { committedAt = Number.NaN, ms = 0 } = findLag(view) ?? {};
  const isSince = (at: number, from: number) => at > from && view.now - at < MOVED_WITHIN_MS;
  return (hasAdvanced && isSince(advancedAt, since + SEEN_AFTER_MS)) || isSince(committedAt - ms, since);
}

/**
 * A problem that the relayer shows, beside what the contract says. While blocks arrive there, there is none. Its check may have failed
 * before `failsSince` for another reason.
 */
export function withContract(one: Suspicion, view: SubnetView, failsSince: number): Found {
  const { progress, observation, contractSince, answersSince } = view.facts.parent ?? {};
  const isRead = observation?.contract?.ok && observation.contract.value.kind === 'checkpoint';
  if (!progress || !isRead || one.explains.every(({ check }) => check !== 'submissions')) return one;
  const { service: relayer, log, errors, submissions } = view.relayer;
  const since = Math.max(submissions?.since ?? view.now, failsSince);
  // A cycle that has begun goes on without its redis, and is the last one.
  const isLastCycle = log?.redisDiedAt !== undefined;
  // What goes to another contract is not seen to arrive.
  const failing = [...errors, ...(relayer?.state.facts.service?.queues?.filter(failsNow) ?? [])];
  const isOfContract = failing.every(({ mode }) => mode === 'full' || mode === 'lite');
  if (relayer && isOfContract && !isLastCycle && arrivesSince(since, progress, view)) return undefined;
  // The relayer has said it before the contract was there, or the parent chain answered, again.
  const thereSince = one.problem === 'contract_missing' ? contractSince : answersSince;
  const lastErrorAt = highest(errors.map(({ at }) => at));
  if (one.problem !== 'relayer_stopped' && lastErrorAt < (thereSince ?? Number.NEGATIVE_INFINITY)) return undefined;
  // What was read before then does not speak against it.
  if (one.problem === 'contract_missing' && progress.readAt < since) return one;
  const { next, latest, committed } = progress.checkpoint;
  const mayGoOn = next !== undefined && next.refusal === undefined && next.number > latest.number;
  const held =
    latest.number > committed.number ? `it holds blocks up to ${latest.number}, not all committed, and ` : '';
  const taken = mayGoOn ? `; ${held}asked by eth_call, it would take block ${next.number}` : '';
  return {
    ...one,
    evidence: `${one.evidence}; ${describeContract(view, progress)}${taken}`,
    readAt: one.readAt && Math.max(one.readAt, progress.readAt),
    ...(one.problem === 'contract_missing' && {
      fix: 'compare CHECKPOINT_CONTRACT in common.env with parentChain.contract of the inventory, and recreate the relayer after a change',
    }),
  };
}
