import type { PatternFacts } from '../../model/facts.ts';
import type { Problem, Suspicion } from '../../model/problem.ts';
import { type ProblemName, problemCatalog } from '../../model/problem-catalog.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';
import type { CheckName } from '../../model/verdict.ts';
import { fixOf } from '../clients/clients.ts';
import { commandToReplace } from '../clients/commands-to-type.ts';
import { MEMORY_SIGNS } from '../logs/known-causes.ts';
import { hasLostData } from '../rules/lost-data.ts';
import { describeFailure } from './describe-failure.ts';
import { explain, explainAll } from './explain-checks.ts';
import { withWallet } from './find-wallet-problems.ts';
import type { ProblemIndex } from './problem-index.ts';
import type { SubnetView, TargetView } from './subnet-view.ts';

/** The checks that a failure explains which leaves its program running. All others end it, and explain all checks of their target. */
const EXPLAINS: Readonly<Partial<Record<ProblemName, readonly CheckName[]>>> = {
  head_regression: [],
  too_many_open_files: ['latest_block', 'peers', 'log_block'],
  rpc_not_bound: ['latest_block', 'peers', 'log_block'],
  cannot_sign: ['log_block'],
  processing_dead: ['latest_block', 'log_block'],
  disk_nearly_full: [],
  bad_block: ['latest_block', 'log_block'],
  snapshot_lost: ['latest_block', 'peers', 'log_block'],
  miner_loop_stopped: ['log_block'],
  relayer_idle: ['submissions'],
  wallet_without_funds: ['submissions'],
};

/** The problems that a program which has ended brings with it. */
const CONSEQUENCES = ['container_down', 'container_restarting', 'node_down'] as const;

/** What a failure that leaves its program running brings with it. */
const BRINGS: Readonly<Partial<Record<ProblemName, readonly ProblemName[]>>> = {
  disk_nearly_full: ['disk_filling'],
  // It may end at a gap block, at which it opens its own socket.
  too_many_open_files: [
    ...CONSEQUENCES,
    'silent_restart_loop',
    'node_hanging',
    'node_stalled',
    'node_behind',
    'node_not_voting',
    'node_partitioned',
  ],
  rpc_not_bound: ['node_down'],
  cannot_sign: ['node_not_voting'],
  processing_dead: ['node_stalled', 'node_behind'],
  bad_block: ['node_stalled', 'node_behind'],
  // It drops the peers that send it a block which it refuses.
  snapshot_lost: ['node_stalled', 'node_behind', 'node_not_voting', 'node_partitioned', 'peers_missing'],
};

/** Whether a SIGKILL is the only sign of it. The kernel sends one when memory runs out, and anybody on the machine may send one. */
const isOnlyKilled = ({ facts: { container, logs } }: TargetState): boolean =>
  container?.lastOomAt === undefined && MEMORY_SIGNS.every((name) => logs?.patterns[name] === undefined);

/** What is wrong, by failure, as the end of "because …". */
export const SUMMARIES: Readonly<Partial<Record<ProblemName, (name: string, state: TargetState) => string>>> = {
  ipc_path_too_long: (name) => `the path of the IPC socket of ${name} is too long`,
  out_of_memory: (name, state) =>
    isOnlyKilled(state) ? `${name} was killed, as when memory runs out` : `${name} ran out of memory`,
  silent_restart_loop: (name) => `${name} ends again and again with exit code 0`,
  head_regression: (name, { facts }) =>
    `${name} has lost ${hasLostData(facts) ? 'all of its blocks' : 'its newest blocks'}`,
  miner_loop_stopped: (name) => `${name} proposes no blocks any more`,
  masternode_update_failed: (name) => `${name} could not update its masternodes`,
  address_in_use: (name) => `another program has taken a port of ${name}`,
  disk_full: (name) => `the disk of ${name} is full`,
  disk_unwritable: (name) => `${name} cannot write to its data folder`,
  wrong_genesis: (name) => `${name} cannot start with the genesis that it is given`,
  folder_in_use: (name) => `another process has the data folder of ${name} open`,
  unknown_flag: (name) => `${name} is started with a flag that it does not know`,
  unlock_failed: (name) => `${name} cannot unlock its key`,
  too_many_open_files: (name) => `${name} has no file descriptor left`,
  rpc_not_bound: (name) => `${name} runs without RPC`,
  cannot_sign: (name) => `${name} cannot sign`,
  processing_dead: (name) => `${name} processes no blocks any more`,
  database_corrupt: (name) => `the database of ${name} is corrupt`,
  disk_nearly_full: (name) => `the disk of ${name} is nearly full`,
  bad_block: (name) => `${name} refuses a block`,
  snapshot_lost: (name) => `${name} has lost a snapshot or state that it needs`,
  database_lost: (name) => `${name} has lost its chain database`,
  relayer_dead: () => 'the process of the relayer has ended',
  relayer_redis_dead: () => 'redis of the relayer has ended',
  relayer_idle: () => 'the relayer runs in no mode',
  wallet_without_funds: () => 'the wallet of the relayer has too few coins',
  stats_without_contract: () => 'the stats server has no checkpoint contract',
  frontend_without_registry: () => 'the frontend cannot reach the package registry',
};

/** What replaces the texts of `head_regression` when a node has lost more blocks than by a kill. */
const WIPED: Pick<ShownFailure, 'cause' | 'fix'> = {
  cause: 'It began with an empty data folder, so it takes all blocks from the others again.',
  fix: 'wait until it has caught up; if nobody emptied the folder, see that the volume of its container is the one of before',
};

/** What replaces the texts of `relayer_dead` when the log says why the program ended. */
function findDeath({ target, facts: { logs } }: TargetState): Partial<Pick<ShownFailure, 'cause' | 'fix'>> {
  const { what, fix } = logs?.patterns[logs.relayer?.died?.because ?? ''] ?? {};
  if (what === undefined || fix === undefined) return {};
  return {
    cause: `The process of the relayer has ended, but redis keeps the container alive: ${what}.`,
    fix: `${fix}, then ${commandToReplace(target.container)}`,
  };
}

/** What replaces the texts of a failure of a service when its log names the reason: all signs but the first are reasons. */
function findReason(
  { signs = [] }: ShownFailure,
  { facts: { logs } }: TargetState,
): Pick<ShownFailure, 'fix'> | undefined {
  let last: PatternFacts | undefined;
  for (const name of signs.slice(1)) {
    const pattern = logs?.patterns[name];
    if (pattern !== undefined && pattern.order > (last?.order ?? -1)) last = pattern;
  }
  return last?.fix === undefined ? undefined : { fix: `${last.what}, as its log says: ${last.fix}` };
}

/** What replaces the texts of a known failure when more is known of it. */
function specifyFailure(failure: ShownFailure, problem: ProblemName, state: TargetState): ShownFailure {
  if (problem === 'head_regression' && hasLostData(state.facts)) return { ...failure, ...WIPED };
  if (problem === 'relayer_dead') return { ...failure, ...findDeath(state) };
  if (state.target.component !== 'node') return { ...failure, ...findReason(failure, state) };
  return { ...failure, fix: fixOf(failure, state) };
}

const isProblem = (name: string): name is ProblemName => Object.hasOwn(problemCatalog, name);

function toSuspicion(view: TargetView, failure: ShownFailure, problem: ProblemName, now: number): Suspicion {
  const { state } = view;
  const { component, name } = state.target;
  const named = EXPLAINS[problem];
  const shown = specifyFailure(failure, problem, state);
  return {
    problem,
    component,
    name,
    summary: SUMMARIES[problem]?.(name, state) ?? `${name} shows the known failure ${problem}`,
    evidence: describeFailure(state, shown, problem, now),
    fix: shown.fix,
    explains: named === undefined ? explainAll(view) : explain(view, ...named),
    causes: (named === undefined ? CONSEQUENCES : (BRINGS[problem] ?? [])).map((one) => ({
      problem: one,
      component,
      name,
    })),
  };
}

/** Whether a target has lately shown a failure that ends its program and that is over. Its crash was reported with that failure. */
export const hasEndedFailure = ({ endedFailures = [] }: TargetState): boolean =>
  endedFailures.some(({ name }) => isProblem(name) && EXPLAINS[name] === undefined);

/** Whether all errors that a log has shown within the window are signs of failures that are over. */
export function hasOnlyEndedSigns({ facts, endedFailures = [] }: TargetState, windowMs: number, now: number): boolean {
  if (endedFailures.length === 0) return false;
  const signs = new Set(endedFailures.flatMap((failure) => failure.signs ?? []));
  const errors = Object.entries(facts.logs?.patterns ?? {}).filter(
    ([, { means, at }]) => (means === 'error' || means === 'fatal') && now - at < windowMs,
  );
  return errors.length > 0 && errors.every(([name]) => signs.has(name));
}

/** Known failures that targets show. A restart loop is none by itself where another failure causes it. */
export function findKnownFailures(view: SubnetView, before: ProblemIndex<Problem>): readonly Suspicion[] {
  const { targets, now } = view;
  const found: Suspicion[] = [];
  for (const target of targets) {
    const { state } = target;
    if (state.shownFailures.length === 0) continue;
    const shown = state.shownFailures.flatMap((failure) =>
      isProblem(failure.name) ? (withWallet(toSuspicion(target, failure, failure.name, now), view, before) ?? []) : [],
    );
    const hasCause =
      hasEndedFailure(state) ||
      shown.some(
        ({ problem }) =>
          problem !== 'silent_restart_loop' &&
          (EXPLAINS[problem] === undefined || BRINGS[problem]?.includes('silent_restart_loop')),
      );
    found.push(...(hasCause ? shown.filter(({ problem }) => problem !== 'silent_restart_loop') : shown));
  }
  return found;
}
