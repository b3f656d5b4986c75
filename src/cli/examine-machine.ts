import { statfsSync, statSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { formatBytes } from '../lib/words.ts';
import { engineRootOf, growingFolders } from '../model/disk.ts';
import { containerSetupOf, setupOf } from '../model/setup.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Target } from '../model/target.ts';
import type { DoctorFinding, DoctorReport } from './list-findings.ts';

/** Bytes of a disk or of the memory. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

/** How doctor reads the machine that it runs on. */
export interface Machine {
  /** The disk of a folder, with what tells it from other disks; undefined when nothing can be read there. */
  readonly diskOf: (folder: string) => (Space & { readonly device: number }) | undefined;
  readonly memory: () => Space;
}

const realMachine: Machine = {
  diskOf: (folder) => {
    try {
      const found = statSync(folder);
      if (!found.isDirectory()) return undefined;
      const { bavail, blocks, bsize } = statfsSync(folder);
      return { free: bavail * bsize, total: blocks * bsize, device: found.dev };
    } catch {
      return undefined;
    }
  },
  memory: () => ({ free: freemem(), total: totalmem() }),
};

/** With less than this share free, a node, a log or a rebuild of an image may fill the rest within days. */
const LOW = 0.1;

const containerOf = ({ facts }: Snapshot[number], target: Target) =>
  containerSetupOf(setupOf(facts?.setup?.observation, target));

/** The folders of a subnet that grow, and those of its engines. */
function findFolders(state: Snapshot[number]): readonly string[] {
  const containers = state.targets.map(({ target }) => [target, containerOf(state, target)] as const);
  return [
    ...containers.flatMap((one) => growingFolders(...one)),
    ...containers.flatMap((one) => engineRootOf(...one) ?? []),
  ];
}

const isLow = ({ free, total }: Space): boolean => total > 0 && free / total < LOW;

const describeFree = ({ free, total }: Space): string =>
  `${formatBytes(free)} of ${formatBytes(total)} are free, ${Math.round((free / total) * 100)} %`;

/** The report, with the disks of the folders of all subnets, and the memory of this machine where nodes run on it. */
export function withMachine(report: DoctorReport, snapshot: Snapshot, machine: Machine = realMachine): DoctorReport {
  const devices = new Set<number>();
  const found: DoctorFinding[] = [];
  const [severity, memory] = ['warning', machine.memory()] as const;
  for (const state of snapshot) {
    const subnet = state.subnet.name;
    for (const folder of findFolders(state)) {
      const disk = machine.diskOf(folder);
      if (disk === undefined || devices.has(disk.device)) continue;
      // With a folder of a subnet, this machine runs something of it.
      if (devices.size === 0 && isLow(memory))
        found.push({
          ...{ finding: 'memory_low', severity, subnet, summary: 'the memory of this machine is nearly used up' },
          evidence: describeFree(memory),
          fix: 'give the machine more memory, or the containers limits, before the kernel kills one of them',
        });
      devices.add(disk.device);
      if (!isLow(disk)) continue;
      found.push({
        ...{ finding: 'disk_low', severity, subnet, summary: `the disk of ${folder} is nearly full` },
        evidence: describeFree(disk),
        fix: 'free space on it: `docker system df` and the size of the log files show what grows; a node that finds no space may lose its chain',
      });
    }
  }
  const first = report.findings.findLastIndex((one) => one.severity !== 'info') + 1;
  const unexamined = snapshot.flatMap((state) => {
    const { subnet, targets } = state;
    const names = targets.flatMap(({ target }) => {
      const folders = growingFolders(target, containerOf(state, target));
      return folders.length > 0 && folders.every((one) => machine.diskOf(one) === undefined) ? [target.name] : [];
    });
    const because = 'this machine does not have their folders, or subnetd may not see them';
    return names.length === 0 ? [] : [{ subnet: subnet.name, what: 'the disk', names, because, failed: false }];
  });
  const examined = report.examined + devices.size + Math.min(1, devices.size);
  return {
    findings: report.findings.toSpliced(first, 0, ...found),
    unexamined: [...report.unexamined, ...unexamined],
    examined,
  };
}
