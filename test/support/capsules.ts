import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expectedProblems, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { replay, type Told } from '../../src/watch/monitor/replay.ts';
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

/** Stores a packed diagnosis with what this version tells of it, which a diff of the file shows. */
export function writeCapsule(fault: string, packed: string): void {
  const { headline, problems } = replay(packed).after;
  writeFileSync(fileOf(fault), `${JSON.stringify({ headline, problems, replay: packed }, null, 2)}\n`);
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
