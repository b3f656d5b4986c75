import type { RelayerLogFacts, RelayerModeFacts } from '../../model/facts.ts';
import type { LogHit } from '../../model/log.ts';
import type { RelayerMode } from '../../model/observation.ts';
import { programEnds } from '../logs/packs/program-ends.ts';
import { readHeight } from './view.ts';

/** The patterns of what ends the program of a relayer, most often while it starts. */
export const RELAYER_START_ERRORS: readonly string[] = [
  'unreachable_at_start',
  'wrong_contract',
  'no_contract',
  'mode_unreadable',
  'reverse_mode_unreadable',
  'redis_unreachable',
  'killed',
  'serve_missing',
  ...Object.keys(programEnds()).filter((name) => name !== 'file_refused'),
];

/** Each mode with its word in the line about the modes, the name of its job, and the patterns of its cycle, attempts and successes. */
const MODES: readonly (readonly [mode: RelayerMode, word: string, job: string, ...patterns: readonly string[]])[] = [
  ['full', 'FULL', 'full relayer', 'full_cycle', 'attempt', 'full_submitted'],
  ['lite', 'LITE', 'lite relayer', 'lite_cycle', 'lite_attempt', 'lite_completed'],
  ['reverse_full', 'REVERSE_FULL', 'full reverse relayer', 'reverse_cycle', 'reverse_attempt', 'reverse_submitted'],
  ['zero', 'ZERO', 'xdc-zero', 'zero_cycle'],
  ['reverse_zero', 'REVERSE_ZERO', 'reverse-xdc-zero', 'reverse_zero_cycle'],
];

const findMode = (text: string): RelayerMode | undefined => MODES.find((names) => names.includes(text))?.[0];

/** Error lines that name no chain, or not the one of their mode. */
const MODES_OF_ERRORS: Readonly<Record<string, RelayerMode>> = {
  proof_unreadable: 'zero',
  parent_head_unreadable: 'reverse_full',
  reverse_contract_unreadable: 'reverse_full',
  reverse_mode_unreadable: 'reverse_full',
};

/** The mode that writes to the parent chain; before it is known, full. */
const forward = (facts: RelayerLogFacts): RelayerMode =>
  facts.modes?.includes('lite') || facts.byMode.lite !== undefined ? 'lite' : 'full';

/** By its line, by the job that it names, or by the chain: in that alone the error lines of both directions differ. */
const modeOfError = (facts: RelayerLogFacts, { pattern, value = '' }: LogHit): RelayerMode =>
  MODES_OF_ERRORS[pattern] ?? (value === 'SUBNET' ? 'reverse_full' : findMode(value)) ?? forward(facts);

function change(facts: RelayerLogFacts, mode: RelayerMode, part: Partial<RelayerModeFacts>, at: number) {
  const before = facts.byMode[mode] ?? { phase: 'cycle', phaseAt: at, attempted: false };
  return { ...facts, byMode: { ...facts.byMode, [mode]: { ...before, ...part } } };
}

function succeed(facts: RelayerLogFacts, mode: RelayerMode, { at, counted }: LogHit): RelayerLogFacts {
  // A cycle in lite mode ends so with nothing to submit, too.
  const counts = mode !== 'lite' || facts.byMode.lite?.attempted === true;
  const done = { phase: 'done', phaseAt: at, attempted: false, error: undefined, hasCause: false } as const;
  const next = change(facts, mode, { ...done, ...(counts && { submittedAt: at }) }, at);
  return counts ? { ...next, submittedAt: at, submissions: facts.submissions + (counted ? 1 : 0) } : next;
}

/** The first line of a zero mode's cycle is its heartbeat. An error ends with the first cycle without one. */
function beat(facts: RelayerLogFacts, mode: 'zero' | 'reverse_zero', { at }: LogHit): RelayerLogFacts {
  const failed = facts.byMode[mode]?.phase === 'failed';
  const heartbeat = { cycleAt: at, phase: 'done', phaseAt: at, submittedAt: at, hasCause: false } as const;
  return change(facts, mode, { ...heartbeat, ...(!failed && { error: undefined }) }, at);
}

/** Both zero modes print the same line, each shortly after the first one of its cycle. */
function wait(facts: RelayerLogFacts, { at, value = '' }: LogHit): RelayerLogFacts {
  const { zero, reverse_zero: reverse } = facts.byMode;
  const mode = (reverse?.cycleAt ?? 0) > (zero?.cycleAt ?? 0) ? 'reverse_zero' : 'zero';
  const [wanted = 0, block = 0] = value.split(', cscBlockNumber: ').map(Number);
  const before = facts.byMode[mode]?.waits;
  return change(facts, mode, { waits: { since: before?.block === block ? before.since : at, wanted, block } }, at);
}

function fail(facts: RelayerLogFacts, hit: LogHit): RelayerLogFacts {
  const { pattern, at } = hit;
  const mode = modeOfError(facts, hit);
  const known = facts.byMode[mode];
  // "Fail to process" follows the line with the cause, if there is one. It does not concern earlier cycles.
  const endsCycle = pattern === 'job_failed';
  const error = { pattern: (endsCycle && known?.hasCause && known.error?.pattern) || pattern, at };
  return change(facts, mode, { phase: 'failed', phaseAt: at, error, hasCause: !endsCycle }, at);
}

function attempt(facts: RelayerLogFacts, mode: RelayerMode, { at, value }: LogHit): RelayerLogFacts {
  const { startBlock: before } = facts.byMode[mode] ?? {};
  const startBlock = readHeight(value) ?? before;
  // The first attempt shows nothing yet. A later start block shows that the previous blocks were accepted.
  const rises = startBlock !== undefined && before !== undefined && startBlock > before;
  const accepted = rises && { advancedAt: at, error: undefined };
  return change(facts, mode, { phase: 'attempt', phaseAt: at, attempted: true, startBlock, ...accepted }, at);
}

/** Whether someone else has taken its redis, which explains every other fault of it. */
const isTaken = ({ redisFault }: RelayerLogFacts): boolean =>
  redisFault === 'redis_captured' || redisFault === 'redis_misused';

/** Adds a hit of the relayer's pack, in the order of the lines. */
export function foldRelayerLog(facts: RelayerLogFacts = { byMode: {}, submissions: 0 }, hit: LogHit): RelayerLogFacts {
  const { pattern, at, value } = hit;
  const mode = findMode(pattern);
  if (mode !== undefined) {
    if (pattern.endsWith('attempt')) return attempt(facts, mode, hit);
    if (!pattern.endsWith('_cycle')) return succeed(facts, mode, hit);
    const modes = facts.modes?.includes(mode) ? facts.modes : [...(facts.modes ?? []), mode];
    const living = { ...facts, modes, died: undefined, stoppedAt: undefined };
    if (mode === 'zero' || mode === 'reverse_zero') return beat(living, mode, hit);
    return change(living, mode, { cycleAt: at, phase: 'cycle', phaseAt: at, hasCause: false }, at);
  }
  switch (pattern) {
    case 'started': {
      const { submissions, submittedAt, redisDiedAt, redisFault } = facts;
      return { byMode: {}, submissions, submittedAt, redisDiedAt, redisFault, startedAt: at };
    }
    case 'redis_started':
      return { ...facts, redisDiedAt: undefined, redisFault: undefined };
    case 'redis_freed':
      return { ...facts, redisFault: undefined };
    case 'redis_unsaved':
    case 'redis_refuses':
    case 'redis_read_only':
    case 'redis_full':
      // A line before it may name the reason.
      return { ...facts, redisFault: facts.redisFault ?? pattern };
    case 'redis_disk_full':
    case 'redis_without_memory':
    case 'redis_misused':
    case 'redis_captured':
    case 'redis_saved':
      return isTaken(facts) ? facts : { ...facts, redisFault: pattern === 'redis_saved' ? undefined : pattern };
    case 'modes': {
      const modes = (value ?? '').split(',').flatMap((word) => findMode(word.replaceAll(/[\s']/g, '')) ?? []);
      return { ...facts, modes, startError: undefined };
    }
    case 'exited':
      return { ...facts, died: { at, because: facts.startError } };
    case 'redis_exited':
      return { ...facts, redisDiedAt: at };
    case 'stopped':
      return { ...facts, stoppedAt: at };
    case 'fork':
      return fail({ ...facts, forkAt: at }, hit);
    case 'syncing':
    case 'fetching': {
      const mode = facts.byMode.reverse_full?.phase === 'cycle' ? 'reverse_full' : forward(facts);
      return change(facts, mode, { phase: 'working', phaseAt: at }, at);
    }
    case 'zero_waits':
      return wait(facts, hit);
    case 'zero_idle':
    case 'zero_delivered':
      return change(facts, findMode(value ?? '') ?? 'zero', { waits: undefined }, at);
    default: {
      const next = hit.means === 'error' ? fail(facts, hit) : facts;
      return RELAYER_START_ERRORS.includes(pattern) ? { ...next, startError: pattern } : next;
    }
  }
}
