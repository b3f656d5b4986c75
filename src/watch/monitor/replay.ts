import { gunzipSync, gzipSync } from 'node:zlib';
import type { ClockDisturbances } from '../../lib/clock.ts';
import { fromPlainJson, toPlainJson } from '../../lib/plain-json.ts';
import { isRecord } from '../../lib/values.ts';
import type { PlannedWork } from '../../model/planned-work.ts';
import type { Problem } from '../../model/problem.ts';
import type { ShownFailure, TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import type { Subnet, Target } from '../../model/target.ts';
import { diagnoseSubnet } from '../diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../diagnosis/follow-problems.ts';
import { failuresOf } from '../rules/known-failures.ts';

/** All that a diagnosis depends on, as it was. */
export interface DiagnosisInput {
  readonly subnet: Subnet;
  readonly targets: readonly TargetState[];
  readonly before: FollowedProblems;
  readonly now: number;
  readonly clock: ClockDisturbances;
  readonly facts: SubnetFacts;
  readonly plannedWork: readonly PlannedWork[];
  /** Wall time less watched time. */
  readonly wallAheadMs: number;
}

/** What people read of a diagnosis. */
export interface Told {
  readonly headline: string;
  readonly problems: readonly Pick<
    Problem,
    'problem' | 'component' | 'name' | 'state' | 'severity' | 'summary' | 'evidence' | 'fix'
  >[];
}

/** Diagnoses again what was known then. */
export function diagnoseAgain({ subnet, targets, before, now, wallAheadMs, ...circumstances }: DiagnosisInput): Told {
  const toWall = (at: number) => at + wallAheadMs;
  const { headline, problems } = diagnoseSubnet(subnet, targets, before, now, { ...circumstances, toWall });
  return {
    headline: headline === undefined ? '' : [headline.sentence, headline.detail].join('. '),
    problems: problems.map(({ problem, component, name, state, severity, summary, evidence, fix }) => ({
      ...{ problem, component, name, state, severity, summary, evidence, fix },
    })),
  };
}

/** Where it is, without what may be secret in an address: its user, path and query. */
function withoutSecrets(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url === null ? undefined : `${url.protocol}//${url.host}`;
}

/** A target without logins, paths of addresses and the patterns of an operator. */
function stripTarget(target: Target): Target {
  const stripped = { ...target, patterns: [] };
  if (stripped.component === 'node') {
    const { login: _, rpc, metrics: __, ...node } = stripped;
    return { ...node, ...(rpc !== undefined && { rpc: withoutSecrets(rpc) ?? 'http://removed' }) };
  }
  if (!('url' in stripped)) return stripped;
  const { url, browser: _, ...service } = stripped;
  return { ...service, ...(url !== undefined && { url: withoutSecrets(url) ?? 'http://removed' }) };
}

const namesOf = (failures: readonly ShownFailure[] | undefined): readonly string[] =>
  (failures ?? []).map(({ name }) => name);

/** What a capsule keeps: the input, and what the diagnosis told of it. */
interface Kept {
  readonly version: string;
  readonly input: DiagnosisInput;
  readonly told: Told;
}

/** Known failures are functions too, so only their names are kept. */
function strip(input: DiagnosisInput): DiagnosisInput {
  const targets = input.targets.map((state) => ({
    ...state,
    target: stripTarget(state.target),
    failures: [],
    shownFailures: namesOf(state.shownFailures),
    endedFailures: namesOf(state.endedFailures),
  })) as unknown as readonly TargetState[];
  const { exporters: _, parentChain, ...subnet } = input.subnet;
  const { problems, ended } = input.before;
  return {
    ...input,
    before: { problems, ended },
    targets,
    subnet: {
      ...subnet,
      targets: targets.map(({ target }) => target),
      ...(parentChain && { parentChain: { ...parentChain, rpc: withoutSecrets(parentChain.rpc) ?? '' } }),
    },
  };
}

/** The input again, with the known failures of this version. */
function restore(input: DiagnosisInput): DiagnosisInput {
  const targets = input.targets.map((state) => {
    const failures = failuresOf(state.target);
    const known = (names: readonly unknown[] = []) => failures.filter(({ name }) => names.includes(name));
    return { ...state, failures, shownFailures: known(state.shownFailures), endedFailures: known(state.endedFailures) };
  });
  return { ...input, targets, subnet: { ...input.subnet, targets: targets.map(({ target }) => target) } };
}

/** More targets are not kept. */
const MOST_TARGETS = 100;

/** A larger one is not kept, in characters. */
const MOST_PACKED = 128 * 1024;

/** The input of a diagnosis with what it told, for a capsule: base64 of gzip. Undefined when that is too large. */
export function packReplay(input: DiagnosisInput, version: string): string | undefined {
  if (input.targets.length > MOST_TARGETS) return undefined;
  const stripped = strip(input);
  const kept: Kept = { version, input: stripped, told: diagnoseAgain(restore(stripped)) };
  const packed = gzipSync(toPlainJson(kept)).toString('base64');
  return packed.length > MOST_PACKED ? undefined : packed;
}

/** A packed input may unpack to this many bytes at most. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A replay: what was told then, by which version, and what this version tells. */
export interface Replay {
  readonly version: string;
  readonly before: Told;
  readonly after: Told;
}

/** What a capsule has kept, with the known failures of this version. Throws for what is none. */
export function unpackReplay(packed: string): Kept {
  const kept = fromPlainJson(gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_BYTES }).toString());
  if (!isRecord(kept) || !isRecord(kept.input) || !isRecord(kept.told)) throw new Error('no kept diagnosis');
  const { version, input, told } = kept as unknown as Kept;
  return { version, input: restore(input), told };
}

/** Diagnoses again what a capsule has kept. Throws for what is none. */
export function replay(packed: string): Replay {
  const { version, input, told } = unpackReplay(packed);
  return { version, before: told, after: diagnoseAgain(input) };
}

const keyOf = ({ problem, component, name }: Told['problems'][number]): string =>
  [problem, component, name].filter(Boolean).join(' ');

/** How this version tells it otherwise, a line each; none when all is the same. */
export function findDifferences({ before, after }: Pick<Replay, 'before' | 'after'>): readonly string[] {
  const known = new Map(before.problems.map((one) => [keyOf(one), one]));
  const found = new Map(after.problems.map((one) => [keyOf(one), one]));
  const changes = [...known].flatMap(([key, one]) => {
    const other = found.get(key);
    if (other === undefined) return [`no longer found: ${key}: ${one.summary}`];
    return (['state', 'severity', 'summary', 'evidence', 'fix'] as const).flatMap((member) =>
      one[member] === other[member]
        ? []
        : [`${key}: ${member} was: ${one[member]}`, `${key}: ${member} is: ${other[member]}`],
    );
  });
  const added = [...found].flatMap(([key, { summary }]) => (known.has(key) ? [] : [`found now: ${key}: ${summary}`]));
  const headline =
    before.headline === after.headline ? [] : [`headline was: ${before.headline}`, `headline is: ${after.headline}`];
  return [...headline, ...changes, ...added];
}
