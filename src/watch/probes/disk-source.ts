import { stat, statfs } from 'node:fs/promises';
import { type DiskReading, DOCKER_ROOT, growingFolders, isNearlyFull } from '../../model/disk.ts';
import type { SubnetObservation } from '../../model/subnet-facts.ts';
import type { Subnet } from '../../model/target.ts';

/** Disks fill slowly. One that is nearly full is freed at once. */
const EVERY_MS = 2 * 60_000;
const NEARLY_FULL_MS = 10_000;

/** The folders of a subnet with the names of the targets that have them. Docker's is of no target. */
function findFolders({ targets }: Subnet): ReadonlyMap<string, readonly string[]> {
  const owned = targets.flatMap((target) => growingFolders(target).map((folder) => [folder, target.name] as const));
  const byFolder = Map.groupBy(owned, ([folder]) => folder);
  const folders = new Map([...byFolder].map(([folder, ones]) => [folder, [...new Set(ones.map(([, name]) => name))]]));
  return targets.some(({ container }) => container !== undefined) ? new Map([...folders, [DOCKER_ROOT, []]]) : folders;
}

/** The disk of each folder that this machine has and subnetd may see, each disk once. `own`: folders of subnetd itself. */
export async function readDisks(
  folders: ReadonlyMap<string, readonly string[]>,
  own: readonly string[] = [],
): Promise<readonly DiskReading[]> {
  const disks = new Map<number, DiskReading>();
  for (const [folder, targets] of [...folders, ...own.map((one) => [one, []] as const)]) {
    const device = await stat(folder).then(
      ({ dev }) => dev,
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

/** Reads how full the disks are on which the folders of a subnet are; undefined where the inventory names none. */
export function createDiskSource(subnet: Subnet, own: readonly string[]) {
  const folders = findFolders(subnet);
  if (folders.size === 0 && own.length === 0) return undefined;
  return {
    everyMs: EVERY_MS,
    firstAfterMs: 3_000,
    probe: async (): Promise<SubnetObservation<'disks'>> => {
      const disks = await readDisks(folders, own);
      const isUrgent = disks.some((disk) => isNearlyFull(disk, true));
      return { kind: 'disks', seen: { disks }, ...(isUrgent && { againMs: NEARLY_FULL_MS }) };
    },
  };
}
