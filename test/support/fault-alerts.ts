import { expectedProblems, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { type ProblemKind, pagesFor, problemCatalog } from '../../src/model/problem-catalog.ts';
import type { AlertName } from '../../src/tell/alerts/alert-rules.ts';

/** An alert, with the target that it is of where it is of one. */
export type AlertOf = AlertName | `${AlertName} ${string}`;

/** What a fault of the demo with four nodes brings: the problems, and of their alerts those that notify somebody. */
export interface FaultAlerts {
  /** `node_down subnet2`, or the name alone for a whole subnet. */
  readonly problems: readonly string[];
  readonly pages: readonly string[];
  readonly tickets: readonly string[];
  /** Held back, if they fire: until the cause was found, or because Prometheus judges them without subnetd. */
  readonly maybeInhibited: readonly string[];
}

export const PARTS = { nodes: ['subnet1', 'subnet2', 'subnet3', 'subnet4'], browser: true };

const problems: Readonly<Record<string, ProblemKind>> = problemCatalog;

/** Faults that only a subnetd sees which starts with them. */
export const FROM_START: readonly FaultName[] = ['never-reached'];

/** A running node falls behind by waiting until the others are far enough ahead. */
export const PROBLEMS_BEFORE: Readonly<Partial<Record<FaultName, readonly string[]>>> = {
  'node-behind': ['node_stalled subnet2'],
};

/** What else may fire, and is then held back. */
const BESIDES: Readonly<Partial<Record<FaultName, readonly AlertOf[]>>> = {
  'node-stalled': ['SubnetNodeStalled subnet2'],
  'node-behind': ['SubnetNodeStalled subnet2'],
  'node-down': ['SubnetContainerDown subnet2', 'SubnetNodeDown subnet2'],
  'node-partitioned': ['SubnetNodePartitioned subnet2', 'SubnetNodeStalled subnet2'],
  'ipc-path-too-long': ['SubnetIpcPathTooLong subnet2', 'SubnetContainerRestarting subnet2', 'SubnetNodeDown subnet2'],
  'read-only-data': ['SubnetNodeLogFault subnet2', 'SubnetContainerRestarting subnet2', 'SubnetNodeDown subnet2'],
  'service-down': ['SubnetServiceDown stats'],
  'oom-kill': ['SubnetContainerRestarting frontend', 'SubnetServiceDown frontend'],
  // Docker does not answer either.
  'monitor-offline': ['SubnetdDockerDown'],
};

/** The alerts that the problems of a fault raise: warnings only while nothing graver pages for their component. */
function toFaultAlerts(fault: FaultName): FaultAlerts {
  const found = expectedProblems([fault], PARTS).map((text) => {
    const [name = '', subject] = text.split(' ');
    const kind = problems[name];
    if (kind === undefined) throw new Error(`${fault} brings ${name}, which is not in the catalog`);
    return { name, subject, ...kind, notifies: [kind.alert, subject].filter(Boolean).join(' ') };
  });
  const componentOf = (subject: string) => (PARTS.nodes.includes(subject) ? 'node' : subject);
  const isSilent = ({ subject, isAboutNodes }: (typeof found)[number]) => {
    const component = subject === undefined ? isAboutNodes && 'node' : componentOf(subject);
    return component && found.some(({ name }) => pagesFor(component, name));
  };
  const raising = found.filter((one) => one.severity !== 'warning' || !isSilent(one));
  const notified = (isPage: boolean) =>
    raising.filter(({ severity }) => (severity === 'critical') === isPage).map(({ notifies }) => notifies);
  const silent = found.filter((one) => !raising.includes(one)).map(({ notifies }) => notifies);
  return {
    problems: [...expectedProblems([fault], PARTS), ...(PROBLEMS_BEFORE[fault] ?? [])],
    pages: notified(true),
    tickets: notified(false),
    maybeInhibited: [...new Set([...silent, ...(BESIDES[fault] ?? [])])],
  };
}

/** Each fault with exactly its alerts. */
export const faultAlerts = Object.fromEntries(FAULT_NAMES.map((name) => [name, toFaultAlerts(name)])) as Readonly<
  Record<FaultName, FaultAlerts>
>;
