import type { AlertName } from '../../src/alerts/alert-rules.ts';
import { FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';

/** An alert, with the target that it is of where it is of one. */
export type AlertOf = AlertName | `${AlertName} ${string}`;

/** The notifications that a fault of the demo with four nodes causes, and those that Alertmanager inhibits. */
export interface FaultAlerts {
  readonly pages?: readonly AlertOf[];
  readonly tickets?: readonly AlertOf[];
  readonly inhibited?: readonly AlertOf[];
  /** Held back too, if it fires: the log of a container that does not run is not read again once a busy machine could not. */
  readonly maybeInhibited?: readonly AlertOf[];
}

const all = ['subnet1', 'subnet2', 'subnet3', 'subnet4'] as const;

/** Their alerts need the diagnosis of the whole subnet, so docs/fault-matrix.md does not have them yet. */
const UNMEASURED = [
  'fork',
  'mesh-hole',
  'node-partitioned',
  'other-genesis',
  'liar',
  'non-voting',
  'penalty',
  'finality-stalled',
  'contract-gone',
  'monitor-offline',
  'rolling-restart',
] as const satisfies readonly FaultName[];

export type MeasuredFault = Exclude<FaultName, (typeof UNMEASURED)[number]>;

export const isMeasured = (fault: FaultName): fault is MeasuredFault =>
  !(UNMEASURED as readonly FaultName[]).includes(fault);

/** In the order of the demo. */
export const MEASURED_FAULTS: readonly MeasuredFault[] = FAULT_NAMES.filter(isMeasured);

/** Each measured fault with exactly its alerts. */
export const faultAlerts: Readonly<Record<MeasuredFault, FaultAlerts>> = {
  'node-stalled': {
    pages: ['SubnetQuorumAtRisk'],
    tickets: ['SubnetNodeStalled subnet2'],
    inhibited: ['SubnetNodeLogFault subnet2'],
  },
  'node-down': {
    pages: ['SubnetQuorumAtRisk'],
    tickets: ['SubnetNodeDown subnet2'],
    inhibited: ['SubnetContainerDown subnet2', 'SubnetNodeLogFault subnet2', 'SubnetNodePeersMissing subnet2'],
    maybeInhibited: ['SubnetdLogSourceDown subnet2'],
  },
  'node-behind': { tickets: ['SubnetNodeBehind subnet2'] },
  'peer-missing': { tickets: ['SubnetNodePeersMissing subnet2', 'SubnetNodePeersMissing subnet3'] },
  'admin-not-exposed': { tickets: all.map((name) => `SubnetCheckDegraded ${name}` as const) },
  'rpc-error-inside-result': { tickets: ['SubnetNodeTellsNoBlock subnet2'] },
  'rpc-garbage': { tickets: ['SubnetNodeDown subnet2'], inhibited: ['SubnetNodePeersMissing subnet2'] },
  'subnet-halted': {
    pages: ['SubnetHalted'],
    inhibited: [
      ...all.flatMap((name) => [`SubnetNodeStalled ${name}`, `SubnetNodeLogFault ${name}`] as const),
      'SubnetStatsStale stats',
      'SubnetRelayerStopped relayer',
    ],
  },
  'service-down': {
    tickets: ['SubnetServiceDown stats'],
    inhibited: ['SubnetContainerDown stats', 'SubnetStatsStale stats'],
    maybeInhibited: ['SubnetdLogSourceDown stats'],
  },
  'relayer-silent': { pages: ['SubnetRelayerStopped relayer'] },
  'relayer-dead-container-up': {
    pages: ['SubnetRelayerStopped relayer'],
    tickets: ['SubnetRelayerDead relayer'],
    inhibited: ['SubnetServiceDown relayer'],
  },
  'relayer-forking': { pages: ['SubnetRelayerStopped relayer'] },
  'bootnode-misses-a-node': { tickets: ['SubnetBootnodeMissesNode bootnode'] },
  'stats-stale': { tickets: ['SubnetStatsStale stats'] },
  'frontend-error': { tickets: ['SubnetFrontendErrors frontend'] },
  'console-error': { tickets: ['SubnetFrontendErrors frontend'] },
  'log-level-low': { tickets: all.map((name) => `SubnetCheckDegraded ${name}` as const) },
  'oom-kill': {
    tickets: ['SubnetContainerOutOfMemory frontend'],
    inhibited: ['SubnetContainerRestarting frontend', 'SubnetFrontendErrors frontend', 'SubnetServiceDown frontend'],
  },
  'ipc-path-too-long': {
    pages: ['SubnetQuorumAtRisk'],
    tickets: ['SubnetIpcPathTooLong subnet2'],
    inhibited: [
      'SubnetContainerRestarting subnet2',
      'SubnetNodeDown subnet2',
      'SubnetNodeLogFault subnet2',
      'SubnetNodePeersMissing subnet2',
    ],
  },
};
