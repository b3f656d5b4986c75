import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import type { RoundName } from '../../model/target.ts';
import type { CheckState } from '../../model/verdict.ts';

/** Takes a sample of a target or a subnet: its key, which tells it from the others, and its value. One without a value is left out. */
export type Add = (key: string, value: number | undefined) => void;

/** The interval of a round, in seconds, for the subnet that is read. */
export type IntervalSeconds = (round: RoundName) => number | undefined;

/** The labels with which the samples of a target or a subnet begin. */
type FirstLabels = 'subnet' | 'subnet, name' | 'subnet, component, name';

/** The samples of a family that are read in one way, from each target or from each subnet. */
export type Samples = {
  readonly first: FirstLabels;
  /** One more label, whose values are the keys. If it is empty, a key is the text of more labels, as `,client="x"`, or empty. */
  readonly label: string;
} & (
  | { readonly of: 'target'; readonly read: (state: TargetState, add: Add, intervalSeconds: IntervalSeconds) => void }
  | { readonly of: 'subnet'; readonly read: (state: SubnetState, add: Add) => void }
);

/** Samples of each target. A label is one more, whose values are the keys. */
export const ofTargets = (
  first: FirstLabels,
  label: string,
  read: (state: TargetState, add: Add, intervalSeconds: IntervalSeconds) => void,
): Samples => ({ of: 'target', first, label, read });

/** Same for each subnet. */
export const ofSubnets = (label: string, read: (state: SubnetState, add: Add) => void): Samples => ({
  of: 'subnet',
  first: 'subnet',
  label,
  read,
});

/** One metric of the watched subnets. */
export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** The names of all its labels. */
  readonly labels: string;
  /** Its values are watched time, and become Unix seconds on the page. */
  readonly isTime?: true;
  /** On the page, all of the first follow each other, and then all of the next. */
  readonly samples: readonly [Samples, ...Samples[]];
}

/** What there is to say of a metric besides its name. */
export type Metric = Omit<Family, 'name' | 'type'>;

/** Metrics by name. */
export type Metrics = Readonly<Record<string, Metric>>;

/** Gauges, and counters: those whose names end on total. */
export const toFamilies = (metrics: Metrics): readonly Family[] =>
  Object.entries(metrics).map(([name, metric]) => ({
    name,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    ...metric,
  }));

/** A metric whose labels are those of its samples. */
export function toMetric(help: string, ...samples: Family['samples']): Metric {
  const [{ first, label }] = samples;
  return { help, labels: label === '' ? first : `${first}, ${label}`, samples };
}

/** One sample for each target that has the value. */
export const perTarget = (help: string, value: (state: TargetState) => number | undefined): Metric =>
  toMetric(
    help,
    ofTargets('subnet, component, name', '', (state, add) => add('', value(state))),
  );

/** One sample for each node that has the value. */
export const perNode = (help: string, value: (state: TargetState) => number | undefined): Metric =>
  toMetric(
    help,
    ofTargets('subnet, name', '', (state, add) => {
      if (state.target.component === 'node') add('', value(state));
    }),
  );

/** One sample for each check that is not skipped. */
export const perCheck = (
  help: string,
  value: (check: CheckState, intervalSeconds: IntervalSeconds) => number | undefined,
): Metric =>
  toMetric(
    help,
    ofTargets('subnet, component, name', 'check', ({ checks }, add, intervalSeconds) => {
      for (const check of checks) if (check.verdict !== 'skipped') add(check.check, value(check, intervalSeconds));
    }),
  );

/** One sample for each subnet that has the value. */
export const perSubnet = (help: string, value: (state: SubnetState) => number | undefined): Metric =>
  toMetric(
    help,
    ofSubnets('', (state, add) => add('', value(state))),
  );

/** A metric whose values are watched time. */
export const timeOf = (metric: Metric): Metric => ({ ...metric, isTime: true });

const NEEDS_ESCAPE = /[\\\n"]/;

/** A label's value, escaped for the quotes of both text formats. Most need nothing. */
export const escapeLabel = (value: string): string =>
  NEEDS_ESCAPE.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"') : value;

/** A yes as 1 and a no as 0. */
export const bit = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
