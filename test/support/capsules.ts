import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expectedProblems, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import { toCheckState } from '../../src/model/verdict.ts';
import { diagnoseSubnet } from '../../src/watch/diagnosis/diagnose-subnet.ts';
import { packs } from '../../src/watch/logs/packs.ts';
import { packReplay, replay, type Told, unpackReplay } from '../../src/watch/monitor/replay.ts';
import { checkTable } from '../../src/watch/rules/checks.ts';
import { PARTS, PROBLEMS_BEFORE } from './fault-alerts.ts';

/** Faults without a capsule, and why. */
export const WITHOUT_CAPSULE: Partial<Readonly<Record<FaultName, string>>> = {
  'console-error': 'it needs a Chromium, and its problem is that of frontend-error',
  'parent-restarted': 'it opens no problem',
  'parent-reorganised': 'it opens no problem',
  'rolling-restart': 'it opens no problem',
};

/** What is told of the capsule of a fault, and the diagnosis that it keeps, packed as `subnetd replay` reads it. */
export interface StoredCapsule extends Told {
  readonly replay: string;
}

const FOLDER = new URL('../fixtures/capsules/', import.meta.url);
const fileOf = (fault: string) => new URL(`${fault}.json`, FOLDER);

/** The names of the capsules that are stored. */
export const storedCapsules = (): readonly string[] => readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));

/** The capsule of a fault; undefined if none is stored. */
export const readCapsule = (fault: string): StoredCapsule | undefined =>
  existsSync(fileOf(fault)) ? (JSON.parse(readFileSync(fileOf(fault), 'utf8')) as StoredCapsule) : undefined;

/** A target whose log patterns have the words of this version. */
function withOwnPatterns(state: TargetState): TargetState {
  const { target, facts } = state;
  if (facts.logs === undefined) return state;
  const known = Object.entries(facts.logs.patterns).map(([name, seen]) => {
    const { what = seen.what, fix } = packs[target.component].find((one) => one.name === name) ?? seen;
    return [name, { ...seen, what, fix }] as const;
  });
  return { ...state, facts: { ...facts, logs: { ...facts.logs, patterns: Object.fromEntries(known) } } };
}

/**
 * A packed diagnosis with the words that this version gives to its checks: each is judged again by the facts that are kept, as of its
 * last run. Without that a capsule would go on telling the words of the version that it was made with.
 */
export function judgeAgain(packed: string): string {
  const { version, input } = unpackReplay(packed);
  const { subnet, before, now, wallAheadMs, ...circumstances } = input;
  const targets = input.targets.map(withOwnPatterns);
  const toWall = (at: number) => at + wallAheadMs;
  const { reference } = diagnoseSubnet(subnet, targets, before, now, { ...circumstances, toWall });
  const { settings, consensus } = subnet;
  const judged = targets.map((state) => ({
    ...state,
    checks: state.checks.map((check) => {
      if (check.verdict === 'skipped' || check.lastRun === undefined) return check;
      const view = { ...state, subnet: targets, reference, settings, consensus, now: check.lastRun, toWall };
      return toCheckState(check, checkTable[check.check].judge(view));
    }),
  }));
  return packReplay({ ...input, targets: judged }, version) ?? packed;
}

/** Stores a packed diagnosis with what this version tells of it, which a diff of the file shows. */
export function writeCapsule(fault: string, packed: string): void {
  const judged = judgeAgain(packed);
  const { headline, problems } = replay(judged).after;
  writeFileSync(fileOf(fault), `${JSON.stringify({ headline, problems, replay: judged }, null, 2)}\n`);
}

/** The problems that are open, as `node_down subnet2`, and which of them a fault does not bring and which are missing. */
export function compareProblems(fault: FaultName, { problems }: Told) {
  const open = problems
    .filter(({ state }) => state !== 'suspected')
    .map(({ problem, name }) => [problem, name].filter(Boolean).join(' '));
  const expected = expectedProblems([fault], { ...PARTS, browser: false });
  const allowed = [...expected, ...(PROBLEMS_BEFORE[fault] ?? [])];
  return {
    open,
    missing: expected.filter((name) => !open.includes(name)),
    wrong: open.filter((name) => !allowed.includes(name)),
  };
}

/** The faults that need a capsule. */
export const FAULTS_WITH_CAPSULE = FAULT_NAMES.filter((name) => WITHOUT_CAPSULE[name] === undefined);
