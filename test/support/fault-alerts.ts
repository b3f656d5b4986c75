import type { AlertName } from '../../src/alerts/alert-rules.ts';
import type { FaultName } from '../../src/demo/faults.ts';

/** An alert, with the target that it is of where it is of one. */
export type AlertOf = AlertName | `${AlertName} ${string}`;

/** What people are told of a fault of the demo with four nodes, and what is not told as it follows from that. */
export interface FaultAlerts {
  readonly pages?: readonly AlertOf[];
  readonly tickets?: readonly AlertOf[];
  readonly silenced?: readonly AlertOf[];
}

const all = ['subnet1', 'subnet2', 'subnet3', 'subnet4'] as const;

/** Each fault with exactly its alerts. */
export const faultAlerts = {
  'node-down': {
    pages: ['SubnetQuorumAtRisk'],
    tickets: ['SubnetNodeDown subnet2'],
    silenced: ['SubnetNodePeersMissing subnet2', 'SubnetNodeLogFault subnet2'],
  },
  'node-stalled': {
    pages: ['SubnetQuorumAtRisk'],
    tickets: ['SubnetNodeStalled subnet2'],
    silenced: ['SubnetNodeLogFault subnet2'],
  },
  'node-behind': { tickets: ['SubnetNodeBehind subnet2'] },
  'subnet-halted': {
    pages: ['SubnetHalted'],
    silenced: [
      ...all.flatMap((name) => [`SubnetNodeStalled ${name}`, `SubnetNodeLogFault ${name}`] as const),
      'SubnetStatsStale stats',
      'SubnetRelayerStopped relayer',
    ],
  },
  'service-down': { tickets: ['SubnetServiceDown stats'], silenced: ['SubnetStatsStale stats'] },
} as const satisfies Partial<Record<FaultName, FaultAlerts>>;
