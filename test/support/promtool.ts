import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { findProgram } from './engine.ts';

/** How often promtool scrapes and evaluates. */
const STEP_SECONDS = 10;

/** The value of a series at a step; undefined where it has none. */
export type Value = (step: number, before: number | undefined) => number | undefined;

export const constant =
  (value: number): Value =>
  () =>
    value;
export const rising =
  (from: number, by: number): Value =>
  (step) =>
    from + by * step;
export const grow =
  (by: number): Value =>
  (_, before = 0) =>
    before + by;
/** What it was. */
export const stand: Value = (_, before = 0) => before;
export const absent: Value = () => undefined;

/** By selector: while all is well, and while it is not. */
export type Series = Readonly<Record<string, readonly [well: Value, broken: Value]>>;

/** From which step on what is the case, and at which steps no scrape succeeds. */
export interface Course {
  readonly steps: number;
  readonly isBroken: (step: number) => boolean;
  readonly isGap: (step: number) => boolean;
}

/** What Prometheus's own metric `up` says of a failed scrape is 0; every other series ends. */
const toValues = (selector: string, [well, broken]: Series[string], { steps, isBroken, isGap }: Course): string => {
  const values: string[] = [];
  let before: number | undefined;
  let ended = true;
  for (let step = 0; step < steps; step++) {
    const known = before;
    const value = (isBroken(step) ? broken : well)(step, known);
    before = value ?? known;
    const seen = isGap(step) ? (selector.startsWith('up{') ? 0 : undefined) : value;
    values.push(seen === undefined ? (ended ? '_' : 'stale') : String(seen));
    ended = seen === undefined;
  }
  return values.join(' ');
};

/** An alert as it has to be at a step; undefined: it does not fire. */
export interface Expectation {
  readonly step: number;
  readonly alert: string;
  readonly firing?: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** One test of promtool, as its files hold it. */
export const toPromtoolTest = (series: Series, course: Course, expectations: readonly Expectation[]) => ({
  interval: `${STEP_SECONDS}s`,
  input_series: Object.entries(series).map(([selector, values]) => ({
    series: selector,
    values: toValues(selector, values, course),
  })),
  alert_rule_test: expectations.map(({ step, alert, firing = [] }) => ({
    eval_time: `${step * STEP_SECONDS}s`,
    alertname: alert,
    exp_alerts: firing.map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations })),
  })),
});

/** A test of all alerts at once: at the last of so many steps of a thing that is broken from the start exactly these fire. */
export const toFiringTest = (
  series: Series,
  steps: number,
  firing: readonly {
    readonly alertname: string;
    readonly component?: string;
    readonly name?: string;
    readonly engine?: string;
  }[],
) => ({
  ...toPromtoolTest(series, { steps, isBroken: () => true, isGap: () => false }, []),
  promql_expr_test: [
    {
      expr: 'count by (alertname, component, engine, name) (ALERTS{alertstate="firing"})',
      eval_time: `${(steps - 1) * STEP_SECONDS}s`,
      exp_samples: firing.map((labels) => ({
        labels: `{${Object.entries(labels)
          .map(([name, value]) => `${name}="${value}"`)
          .join(', ')}}`,
        value: 1,
      })),
    },
  ],
});

const promtool = (words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool', 'prometheus'), words, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

/** Runs tests against the committed rules of these groups; resolves to what promtool says is wrong, nothing when all hold. */
export function testRules(groups: readonly string[], tests: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-promtool-'));
  try {
    const file = join(folder, 'tests.yml');
    const path = (group: string) =>
      fileURLToPath(new URL(`../../config/prometheus/rules/${group}.yml`, import.meta.url));
    writeFileSync(
      file,
      stringify({ rule_files: groups.map(path), evaluation_interval: `${STEP_SECONDS}s`, tests }, { lineWidth: 0 }),
    );
    const { status, output } = promtool(['test', 'rules', file]);
    return status === 0 && /SUCCESS/.test(output) ? '' : output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What promtool's own checks say of files. */
export const checkWithPromtool = (what: string, files: readonly string[]) => promtool(['check', what, ...files]);
