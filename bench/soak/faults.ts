import { type ProblemName, problemCatalog } from '../../src/model/problem-catalog.ts';
import { MASTERNODES, nodeName, nodesOf, type SimulatedSubnet, STALL_MS } from './fleet.ts';
import type { Mood } from './nodes.ts';

/** A fault of the simulation, and the one problem by which subnetd must report it. */
export interface FaultKind {
  readonly mood: Mood;
  /** Which nodes of a subnet it takes: some that are no masternodes, one masternode, or all. */
  readonly takes: 'some' | 'masternode' | 'all';
  readonly problem: ProblemName;
  /** From its beginning until the problem must be open, without the time between two probes. */
  readonly dueMs: number;
  /** Problems of single nodes that may be listed beside it; they raise no alert. */
  readonly beside: readonly ProblemName[];
  /** How often it comes, in shares. */
  readonly weight: number;
}

const confirmMs = (problem: ProblemName) => problemCatalog[problem].confirmMs;

/** Every fault of the simulation. */
export const FAULTS = {
  refuses: {
    ...{ mood: 'refuses', takes: 'some', problem: 'node_down', weight: 6 },
    ...{ dueMs: confirmMs('node_down'), beside: [] },
  },
  hangs: {
    ...{ mood: 'hangs', takes: 'some', problem: 'node_hanging', weight: 5 },
    ...{ dueMs: confirmMs('node_hanging'), beside: [] },
  },
  stalls: {
    ...{ mood: 'stalled', takes: 'some', problem: 'node_stalled', weight: 4 },
    ...{ dueMs: STALL_MS + confirmMs('node_stalled'), beside: [] },
  },
  'a masternode refuses': {
    ...{ mood: 'refuses', takes: 'masternode', problem: 'quorum_at_risk', weight: 2 },
    ...{ dueMs: confirmMs('quorum_at_risk'), beside: ['node_down'] },
  },
  'the subnet halts': {
    ...{ mood: 'stalled', takes: 'all', problem: 'subnet_halted', weight: 2 },
    ...{ dueMs: STALL_MS + confirmMs('subnet_halted'), beside: [] },
  },
  'all nodes refuse': {
    ...{ mood: 'refuses', takes: 'all', problem: 'subnet_halted', weight: 1 },
    ...{ dueMs: STALL_MS + confirmMs('subnet_halted'), beside: ['node_down'] },
  },
  'all nodes hang': {
    ...{ mood: 'hangs', takes: 'all', problem: 'monitor_offline', weight: 1 },
    ...{ dueMs: confirmMs('monitor_offline'), beside: [] },
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** What subnetd must report: a problem of one node, or of a subnet without a node. */
export interface Subject {
  readonly subnet: SimulatedSubnet;
  readonly node: number | undefined;
}

/** The subjects of a fault: each of its nodes, or the subnet. */
export const subjectsOf = (fault: FaultName, subnet: SimulatedSubnet, nodes: readonly number[]): readonly Subject[] =>
  FAULTS[fault].takes === 'some' ? nodes.map((node) => ({ subnet, node })) : [{ subnet, node: undefined }];

/** Which nodes a fault may take. */
export const candidatesOf = (fault: FaultName, subnet: SimulatedSubnet): readonly number[] => {
  const all = nodesOf(subnet);
  const { takes } = FAULTS[fault];
  if (takes === 'all') return all;
  return takes === 'masternode' ? all.slice(0, MASTERNODES) : all.slice(MASTERNODES);
};

/** The name of a problem in a subnet. */
export const problemKey = (problem: string, name: string | undefined): string =>
  name === undefined ? problem : `${problem} of ${name}`;

export const subjectKey = (fault: FaultName, { subnet, node }: Subject): string =>
  problemKey(FAULTS[fault].problem, node === undefined ? undefined : nodeName(subnet, node));
