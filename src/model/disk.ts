import { dirname } from 'node:path';
import type { Fill } from './fill.ts';
import type { ContainerSetup } from './setup.ts';
import type { Target } from './target.ts';

/** A disk, by the first folder of the subnet on it, in bytes. */
export interface DiskReading {
  readonly folder: string;
  /** The targets that have a folder on it, by their names. */
  readonly targets: readonly string[];
  readonly free: number;
  readonly total: number;
}

/** What a probe saw of the disks of a subnet. */
export interface DiskObservation {
  readonly disks: readonly DiskReading[];
}

/** A disk followed over many probes. */
export interface DiskFacts extends Pick<DiskReading, 'folder' | 'targets'> {
  readonly fill: Fill;
  /** `filling`: full within a week; `full`: within an hour, or as good as that. */
  readonly level?: 'filling' | 'full';
}

/** So little is as good as nothing: a hundredth, of a large disk a gigabyte. Of one that was so, twice as much is. */
export const isNearlyFull = ({ free, total }: Pick<Fill, 'free' | 'total'>, wasSo: boolean): boolean =>
  free < Math.min(total / 100, 1e9) * (wasSo ? 2 : 1);

/** Where Docker keeps images, volumes and logs, unless it is told otherwise. */
export const DOCKER_ROOT = '/var/lib/docker';

/** The folder of a file, or that in which a glob begins. */
const folderOf = (path: string): string => dirname(`${path.split(/[*?[{]/)[0]}x`);

/** The folders of a target that grow: those in which the inventory names a file, and those that its container writes to. */
export const growingFolders = (target: Target, setup?: ContainerSetup): readonly string[] => [
  ...target.logFiles.map(({ path }) => folderOf(path)),
  ...('ipc' in target && target.ipc !== undefined ? [dirname(target.ipc)] : []),
  ...(setup?.folders ?? []),
];

/** Where the engine of a target keeps its data. Until its container was read, it may be where it usually is; undefined elsewhere. */
export function engineRootOf({ container }: Target, setup?: ContainerSetup): string | undefined {
  return container === undefined || setup !== undefined ? setup?.engineRoot : DOCKER_ROOT;
}
