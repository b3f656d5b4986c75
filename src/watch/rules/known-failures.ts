import type { Facts, Fall } from '../../model/facts.ts';
import { findContainer, findSeries, isOfRun, isRestartPlanned, LOOP_MS, START_MS } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { COMPONENTS, hasLog, type Target } from '../../model/target.ts';
import { CLIENTS } from '../clients/clients.ts';
import { commandToRecreate } from '../clients/commands-to-type.ts';
import { MEMORY_SIGNS, requestCauses, SHORTER_PATH } from '../logs/known-causes.ts';
import {
  afterBlocks,
  afterEnd,
  afterGoodRun,
  afterLoop,
  answers,
  type KnownFailure,
  later,
  match,
  startOf,
} from './failure-signs.ts';
import { ONE_FAILURE_MS } from './find-log-fault.ts';
import { endedOnOrder } from './fold-container.ts';
import { setMode } from './judge-submissions.ts';
import { type LogFailure, nodeLogFailures } from './node-log-failures.ts';

/** A node that is killed loses the state that it keeps in memory: up to some 257 blocks, and a young chain all of them. */
export const MOST_BY_KILL = 300;

/** The chain is asked about within a minute. */
const SAID_WITHIN_MS = 90_000;

/** The last fall of a node's height in its run of now; undefined where that was the begin of another chain, which is no loss. */
export function findFall(evidence: Facts): Fall | undefined {
  const { latest: { fall } = {}, chain } = evidence.node ?? {};
  if (fall === undefined || !isOfRun(fall.at, startOf(evidence))) return undefined;
  return Math.abs((chain?.replaced?.at ?? Number.NaN) - fall.at) < SAID_WITHIN_MS ? undefined : fall;
}

/** Whether a node whose height fell began with an empty data folder: by its log, or because no kill costs so many blocks. */
export function hasLostData(facts: Facts): boolean {
  const { logs, container } = facts;
  // Its log may show a start before Docker does.
  const startedAt = later(container?.run?.startedAt, logs?.node?.startedAt) ?? Number.POSITIVE_INFINITY;
  const hasPrinted = (...signs: string[]) =>
    isOfRun(match(...signs)({ logs }, 0) ?? Number.NEGATIVE_INFINITY, startedAt);
  const { from = 0, to = 0 } = findFall(facts) ?? {};
  // An older copy of its data may lack more than a kill costs, and has a head to repair.
  return hasPrinted('genesis_written', 'loaded_genesis') || (from - to > MOST_BY_KILL && !hasPrinted('repaired_head'));
}

function toKnownFailure(given: LogFailure): KnownFailure {
  const { untilRestart, whileSilent, unless = [], client = 'xdc-subnet', ...failure } = given;
  const { signs } = failure;
  const [shown, explained] = [match(...signs), match(...unless)];
  return {
    of: ['node'],
    symptom: `Its log has a line of the pattern ${signs.map((one) => `\`${one}\``).join(' or ')}.`,
    fix: failure.advise?.(CLIENTS[client], { name: 'subnet1' }, () => false) ?? '',
    isOver: failure.endsProgram ? afterEnd : afterGoodRun,
    ...failure,
    seenAt: (evidence, now) => {
      const at = shown(evidence, now);
      if (at === undefined || (whileSilent && answers(evidence))) return undefined;
      if (at - (explained(evidence, now) ?? Number.NEGATIVE_INFINITY) < ONE_FAILURE_MS) return undefined;
      return untilRestart && at >= (startOf(evidence) ?? Number.POSITIVE_INFINITY) ? now : at;
    },
  };
}

/** Whether a SIGKILL is the only sign of it. The kernel sends one when memory runs out, and anybody on the machine may send one. */
export const isOnlyKilled = ({ facts: { container, logs } }: TargetState): boolean =>
  container?.lastOomAt === undefined && MEMORY_SIGNS.every((name) => logs?.patterns[name] === undefined);

/** What to do where it is known that memory ran out. */
export const MORE_MEMORY = 'give the container or Docker more memory, or free memory on the machine';

/** Every known failure, the two of the specification first; the rest are documented for XDC subnets or follow from its code. */
export const knownFailures: readonly KnownFailure[] = [
  toKnownFailure({
    name: 'ipc_path_too_long',
    summary: (name) => `the path of the IPC socket of ${name} is too long`,
    symptom:
      'The node restarts in a loop; its log ends in `Fatal: Error starting protocol stack: listen unix … bind: invalid argument`.',
    cause:
      'The path of the socket XDC.ipc is longer than 107 bytes, the limit of a unix socket. Usually the folder of the deployment is nested too deeply.',
    advise: (_, { container }) =>
      `${SHORTER_PATH}; then ${commandToRecreate(container)}, and recreate the other containers if that folder was moved`,
    // The Fatal line came in 4 of 10 real starts, the warning in all of them.
    signs: ['ipc_path_too_long', 'ipc_path_long'],
    endsProgram: true,
  }),
  {
    name: 'out_of_memory',
    summary: (name, state) =>
      isOnlyKilled(state) ? `${name} was killed, as happens when memory runs out` : `${name} ran out of memory`,
    of: COMPONENTS,
    symptom: 'SIGKILL ends the container or its program although nobody stopped it; Docker may report OOMKilled.',
    cause: 'The container has reached its memory limit, or the machine has run out of memory.',
    fix: `${MORE_MEMORY}; if \`dmesg -T\` there shows no such kill, find out who sent SIGKILL`,
    // A relayer of which the log says so is `relayer_dead`.
    seenAt: ({ container, logs }) =>
      later(
        container?.lastOomAt,
        container?.unrequestedKill?.at,
        logs && logs.relayer === undefined ? match(...MEMORY_SIGNS)({ logs }, 0) : undefined,
      ),
    signs: MEMORY_SIGNS,
    // A single kill is remembered for some minutes: memory may run out again. A later stop on order has another cause.
    isOver: (evidence, seenAt, now) =>
      afterLoop(evidence, seenAt, now) ||
      (now - seenAt >= LOOP_MS && (startOf(evidence) ?? seenAt) > seenAt) ||
      (evidence.container !== undefined && endedOnOrder(evidence.container, seenAt)),
  },
  {
    name: 'silent_restart_loop',
    summary: (name) => `${name} ends again and again with exit code 0`,
    of: ['node'],
    symptom: 'The container restarts again and again with exit code 0.',
    cause:
      'The process of the node ends with a fatal error. The container always exits with 0, the exit code of the log pipe.',
    fix: 'read the last lines that begin with Fatal: or CRIT in the log of the node, which name the cause',
    seenAt: ({ container }) => (container?.lastExit?.code === 0 ? findSeries(container).at(-1) : undefined),
    isOver: afterLoop,
  },
  {
    name: 'head_regression',
    summary: (name, { facts }) => `${name} has lost ${hasLostData(facts) ? 'all of its blocks' : 'its newest blocks'}`,
    leavesRunning: { explains: [], brings: [] },
    of: ['node'],
    symptom:
      'The height of the node falls, by up to about 257 blocks; its log may say `Head state missing, repairing chain`.',
    cause:
      'The node was killed, as by each `docker stop`, and has lost its recent state, which it keeps in memory; or it was given an older copy of its data.',
    fix: 'wait until it has caught up; if it falls again and again, check its disk and its memory',
    seenAt: (evidence) => {
      const { status = 'running' } = findContainer(evidence.container) ?? {};
      // Only a running program can recover: a node that is stopped or paused fetches no blocks.
      if (status !== 'running') return undefined;
      const repaired = evidence.logs?.patterns.repaired_head;
      return later(
        findFall(evidence)?.at,
        repaired && isOfRun(repaired.at, startOf(evidence)) ? repaired.at : undefined,
      );
    },
    signs: ['repaired_head'],
    // It has all of its blocks again, perhaps before anybody saw them missing.
    isOver: ({ node, logs }, seenAt) => {
      const { number = 0, lastGoodAt = Number.NEGATIVE_INFINITY, fall } = node?.latest ?? {};
      const { height = 0, heightBefore = height, advancedAt = seenAt } = logs?.node ?? {};
      return (
        (lastGoodAt > seenAt && (fall === undefined || fall.at < seenAt || number >= fall.from)) ||
        (advancedAt > seenAt && height > heightBefore)
      );
    },
  },
  toKnownFailure({
    name: 'miner_loop_stopped',
    summary: (name) => `${name} no longer proposes blocks`,
    leavesRunning: { explains: ['log_block'], brings: [] },
    symptom:
      'The node runs and follows the chain but proposes no block; its log says `Coinbase address not in snapshot signers.`',
    cause:
      'Its address was not among the masternodes at that moment. Its loop that proposes blocks ended and does not start again.',
    fix: 'check that its address is among the masternodes, then restart the node',
    signs: ['miner_stopped'],
    untilRestart: true,
  }),
  toKnownFailure({
    name: 'masternode_update_failed',
    summary: (name) => `${name} could not update its masternodes`,
    symptom: 'The node ends at a gap block with `CRIT … Error when update masternodes set. Stopping node`.',
    cause:
      'It could not read the validator contract through its own IPC socket, or the state of that block is missing.',
    fix: 'start it again; if it ends once more, check its socket and disk, or let it sync again',
    signs: ['masternode_update_failed'],
    // It opens its own socket for that.
    unless: ['too_many_open_files'],
    endsProgram: true,
  }),
  toKnownFailure({
    name: 'address_in_use',
    summary: (name) => `another program has taken a port of ${name}`,
    symptom: 'The node restarts in a loop; its log ends in `bind: address already in use` or `Port … is in use.`',
    cause: 'Another program, often a second node, has taken one of its ports.',
    fix: 'end the other program, or give the node other ports in its env file',
    signs: ['address_in_use', 'port_in_use', 'peer_port_in_use'],
    endsProgram: true,
  }),
  toKnownFailure({
    name: 'disk_full',
    summary: (name) => `the disk of ${name} is full`,
    of: ['node', 'frontend'],
    symptom:
      'The log says `no space left on device`, `disk quota exceeded` or `Free disk space is below …`; then the program ends, and restarts in a loop.',
    cause: 'The disk of its data folder (for a frontend, the disk of Docker) is full, or its quota is used up.',
    fix: 'free space on the disk of its data folder, or raise its quota; if the node lost its database, let it sync again from the others',
    signs: ['disk_full', 'disk_quota', 'disk_low', 'disk_below_limit', 'docker_disk_full'],
    isOver: afterBlocks,
  }),
  toKnownFailure({
    name: 'database_lost',
    summary: (name) => `${name} has lost its chain database`,
    symptom: 'The log of the node says `Empty database, resetting chain` or `Head block missing, resetting chain`.',
    cause: 'The chain database is gone or corrupt, as after a full disk.',
    fix: 'check the disk, then let the node sync again from the others',
    signs: ['database_empty', 'head_block_missing'],
    // Remembered while the node syncs again: the disk may still be the cause.
    isOver: () => false,
  }),
  ...nodeLogFailures.map(toKnownFailure),
  {
    name: 'relayer_dead',
    summary: () => 'the relayer process has ended',
    of: ['relayer'],
    symptom:
      'The container is up, but nothing listens on its port; its log has `[1] sleep 5s; npm run start exited with code …`.',
    cause:
      'The process of the relayer has ended, but redis keeps the container alive. It was killed, or at its start a chain was unreachable or the contract wrong.',
    fix: 'read in its log what came before its end, mend that, and restart the container; if nothing did, it was killed: check its memory',
    seenAt: ({ logs }, now) => (logs?.relayer?.died === undefined ? undefined : now),
  },
  {
    name: 'relayer_redis_dead',
    summary: () => 'the redis of the relayer has ended',
    of: ['relayer'],
    symptom: 'The relayer prints nothing more, and its queues do not answer; its log has `[0] … exited with code …`.',
    cause: 'Redis in the container of the relayer has ended, most often because it ran out of memory.',
    fix: 'restart the container of the relayer, and check its memory',
    seenAt: ({ logs }, now) => (logs?.relayer?.redisDiedAt === undefined ? undefined : now),
  },
  {
    name: 'relayer_idle',
    summary: () => 'the relayer runs in no mode',
    leavesRunning: { explains: ['submissions'], brings: [] },
    of: ['relayer'],
    symptom: 'The relayer runs and looks healthy, but submits nothing; its log says `Running modes:  []`.',
    cause:
      'PARENTNET_URL, PARENTNET_WALLET_PK or CHECKPOINT_CONTRACT is missing in common.env, or was added after the relayer started.',
    fix: setMode(),
    seenAt: (evidence, now) => {
      const { modes, startedAt = now } = evidence.logs?.relayer ?? {};
      return modes?.length === 0 && isOfRun(startedAt, startOf(evidence)) ? now : undefined;
    },
  },
  toKnownFailure({
    name: 'wallet_without_funds',
    summary: () => 'the wallet of the relayer is out of funds',
    leavesRunning: { explains: ['submissions'], brings: [] },
    of: ['relayer'],
    symptom: 'Submissions fail with `Insufficient funds for gas * price + value`.',
    cause: 'The wallet that pays on the parent chain is out of funds.',
    fix: 'send coins to the wallet of PARENTNET_WALLET_PK on the parent chain',
    signs: ['no_funds'],
    isOver: ({ logs }, seenAt) => (logs?.relayer?.submittedAt ?? 0) > seenAt,
  }),
  toKnownFailure({
    name: 'stats_without_contract',
    summary: () => 'the stats server has no checkpoint contract',
    of: ['stats'],
    symptom:
      'The stats server restarts in a loop; its log says `PARENTNET_WALLET and CHECKPOINT_CONTRACT configuration must be set!`',
    cause: 'It was started before the checkpoint contract was deployed.',
    fix: 'deploy the checkpoint contract, see that common.env names it, and recreate the stats server',
    signs: ['config_missing'],
  }),
  toKnownFailure({
    name: 'frontend_without_registry',
    summary: () => 'the frontend cannot reach the package registry',
    of: ['frontend'],
    symptom: 'The frontend builds, fails at `yarn global add serve`, and restarts in a loop.',
    cause: 'It installs its web server from the package registry at each start, and cannot reach the registry.',
    fix: 'let the container reach registry.yarnpkg.com, by a proxy if need be',
    signs: ['registry_unreachable', ...Object.keys(requestCauses('', '')).map((name) => `registry_${name}`)],
  }),
];

/** By component, made once: thousands of targets are judged in each round. */
const failuresByComponent = new Map(
  COMPONENTS.map((component) => [component, knownFailures.filter(({ of }) => of.includes(component))]),
);

/** The failures that this target can show: it names a container or log files to see them by. */
export const failuresOf = (target: Target): readonly KnownFailure[] =>
  (hasLog(target) && failuresByComponent.get(target.component)) || [];

/** A failure is over once the program has run this long without a sign of it. */
const QUIET_MS = 10 * 60 * 1000;

/**
 * Whether a target has shown a known failure lately. It lasts until the target has run for ten minutes since its last sign, and
 * until somebody restarts its container. A stop before that keeps it, as it may be why. It belongs to one run: that of another
 * container, or of an earlier start, explains no stop of today.
 */
function isRemembered(failure: KnownFailure, evidence: Facts, now: number): boolean {
  const seenAt = failure.seenAt(evidence, now);
  if (seenAt === undefined) return false;
  if (isRestartPlanned(evidence.container) && !isOfRun(seenAt, evidence.container?.lastRestartAt)) return false;
  // What ended a program that is seen by its log alone keeps it down: it has neither started nor answered since.
  const isSilent =
    evidence.node?.observation.latest.ok === false && (evidence.logs?.node?.startedAt ?? seenAt) <= seenAt;
  if (evidence.container === undefined && failure.endsProgram && isSilent) return true;
  const container = findContainer(evidence.container);
  if (!isOfRun(seenAt, container?.createdAt)) return false;
  // A start in the future means that the clocks differ.
  const quietSince = Math.max(seenAt, Math.min(container?.startedAt ?? 0, now));
  if (container === undefined || container.running) return now - quietSince < QUIET_MS;
  const { startedAt = Number.NEGATIVE_INFINITY, finishedAt = startedAt } = container;
  // What was over before the end is not why it ended.
  if (finishedAt - quietSince >= QUIET_MS) return false;
  // The sign is of the run that has ended, or of the one before if that one has not run for a minute.
  const before = finishedAt - startedAt < START_MS ? evidence.container?.runBefore : undefined;
  return isOfRun(seenAt, Math.min(startedAt, before?.startedAt ?? startedAt));
}

/** The known failures of a target: which it has shown lately, and which of these are over or not. */
export function judgeFailures(target: Target, evidence: Facts, now: number) {
  const failures = failuresOf(target);
  const remembered = failures.filter((one) => isRemembered(one, evidence, now));
  const isOver = ({ seenAt, isOver }: KnownFailure) => isOver?.(evidence, seenAt(evidence, now) ?? now, now) === true;
  const shownFailures = remembered.filter((one) => !isOver(one));
  return { failures, shownFailures, endedFailures: remembered.filter(isOver) };
}
