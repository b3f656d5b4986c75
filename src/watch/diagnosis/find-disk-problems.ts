import { formatBytes, toShellWord } from '../../lib/words.ts';
import { type DiskFacts, isNearlyFull } from '../../model/disk.ts';
import { describePace, findPace, formatLeft } from '../../model/fill.ts';
import type { Suspicion } from '../../model/problem.ts';
import { isStartedAgain } from '../../model/restart-cause.ts';
import type { SubnetView } from './subnet-view.ts';
import { suspect, suspectTarget } from './suspect.ts';

/** Smaller logs are not what fills a disk. */
const LARGE_BYTES = 1e9;

/** With less nothing can be written. */
const FULL_BYTES = 1e6;

function findDisk({ folder, targets: names, fill, level }: DiskFacts, view: SubnetView): readonly Suspicion[] {
  if (level === undefined) return [];
  const owners = view.targets.filter(({ state: { target } }) => names.includes(target.name));
  const [owner] = owners;
  // Its log says so already, and what follows from that.
  if (owners.some(({ state }) => state.shownFailures.some(({ name }) => name === 'disk_full'))) return [];
  // Whoever has started a program since may have given it space: the next reading, which comes within seconds, shows it.
  if (isNearlyFull(fill, true) && owners.some(({ state }) => isStartedAgain(state.facts.container, fill.at))) return [];
  const pace = findPace(fill);
  const when = pace === undefined ? '' : `, and ${describePace(pace)}: at that pace it is full in ${formatLeft(pace)}`;
  const problem = level === 'full' ? 'disk_full' : 'disk_filling';
  const left =
    fill.free < FULL_BYTES ? 'is full' : pace === undefined ? 'is nearly full' : `is full in ${formatLeft(pace)}`;
  const largeLogs = owners
    .map(({ state: { target, facts } }) => ({ name: target.name, bytes: facts.logs?.fileBytes ?? 0 }))
    .filter(({ bytes }) => bytes >= LARGE_BYTES)
    .sort((one, other) => other.bytes - one.bytes)
    .map(({ name, bytes }) => `; the log files of ${name} hold ${formatBytes(bytes)}`);
  const told = {
    summary: `the disk of ${folder} ${left}`,
    evidence: `${formatBytes(fill.free)} of ${formatBytes(fill.total)} are free${when}${largeLogs.slice(0, 3).join('')}`,
    fix: `free space on it, or make it larger; \`du -xh --max-depth=2 ${toShellWord(folder)} | sort -h | tail\` and \`docker system df\` show what grows`,
  };
  return [owner === undefined ? suspect(problem, told) : suspectTarget(problem, owner, told)];
}

export const findDiskProblems = (view: SubnetView): readonly Suspicion[] =>
  (view.facts.disks ?? []).flatMap((disk) => findDisk(disk, view));
