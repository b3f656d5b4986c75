import { stat, statfs } from 'node:fs/promises';
import { type DiskReading, engineRootOf, growingFolders, isNearlyFull } from '../../model/disk.ts';
import type { ContainerSetup } from '../../model/setup.ts';
import type { SubnetObservation } from '../../model/subnet-facts.ts';
import type { Subnet, Target } from '../../model/target.ts';

/** Disks fill slowly. One that is nearly full is freed at once. */
const EVERY_MS = 2 * 60_000;
const NEARLY_FULL_MS = 4_000;

/** How the container of a target was made, if that is known by now. */
type SetupOf = (target: Target) => ContainerSetup | undefined;

/** The folders of a subnet with the names of the targets that have them. Docker's is of no target. */
function findFolders({ targets }: Subnet, setupOf: SetupOf): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, readonly string[]>();
  for (const target of targets)
    for (const folder of growingFolders(target, setupOf(target)))
      folders.set(folder, [...new Set([...(folders.get(folder) ?? []), target.name])]);
  const roots = targets.flatMap((target) => engineRootOf(target, setupOf(target)) ?? []);
  return new Map([...folders, ...roots.map((root) => [root, []] as const)]);
}

/** The disk of each folder that this machine has and subnetd may see, each disk once. `own`: folders of subnetd itself. */
export async function readDisks(
  folders: ReadonlyMap<string, readonly string[]>,
  own: readonly string[] = [],
): Promise<readonly DiskReading[]> {
  const disks = new Map<number, DiskReading>();
  for (const [folder, targets] of [...folders, ...own.map((one) => [one, []] as const)]) {
    const device = await stat(folder).then(
      (found) => (found.isDirectory() ? found.dev : undefined),
      () => undefined,
    );
    if (device === undefined) continue;
    const known = disks.get(device);
    if (known !== undefined) {
      disks.set(device, { ...known, targets: [...new Set([...known.targets, ...targets])] });
      continue;
    }
    const space = await statfs(folder).catch(() => undefined);
    // A pseudo file system has no blocks.
    if (space === undefined || space.blocks === 0) continue;
    const { bavail, blocks, bsize } = space;
    disks.set(device, { folder, targets, free: bavail * bsize, total: blocks * bsize });
  }
  return [...disks.values()];
}

/** Reads how full the disks are on which the folders of a subnet are; undefined where it has none. */
export function createDiskSource(subnet: Subnet, own: readonly string[], setupOf: SetupOf) {
  if (findFolders(subnet, setupOf).size === 0 && own.length === 0) return undefined;
  return {
    everyMs: EVERY_MS,
    firstAfterMs: 3_000,
    // What a log has a new error of may be that one is full.
    doubtedAfterMs: () => NEARLY_FULL_MS,
    probe: async (): Promise<SubnetObservation<'disks'>> => {
      const disks = await readDisks(findFolders(subnet, setupOf), own);
      const isUrgent = disks.some((disk) => isNearlyFull(disk, true));
      return { kind: 'disks', seen: { disks }, ...(isUrgent && { againMs: NEARLY_FULL_MS }) };
    },
  };
}
