import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { findProgram } from './engine.ts';

/** How often promtool scrapes and evaluates. */
const STEP_SECONDS = 10;
export const STEP_MS = STEP_SECONDS * 1000;

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

/** With the labels that Prometheus adds, which no alert of a subnet may show. */
export const asScraped = (series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([selector, values]) => [
      selector.includes('instance=') ? selector : selector.replace('}', ', instance="a:10545", job="subnetd"}'),
      values,
    ]),
  );

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

/** Runs promtool to its end; it may take long where many tests run at once. */
const promtool = (words: readonly string[]) =>
  new Promise<{ readonly status: number | string; readonly output: string }>((resolve) => {
    // It lives for seconds, in which most of its garbage need not be collected.
    const env = { ...process.env, GOGC: '400' };
    // Of the two streams one has the names of files and the other what is wrong with them.
    const merged = ['-c', 'exec "$0" "$@" 2>&1', findProgram('promtool', 'prometheus'), ...words];
    execFile('sh', merged, { env, maxBuffer: 64 << 20 }, (error, output) =>
      resolve({ status: error === null ? 0 : (error.code ?? 1), output }),
    );
  });

/** What must come of the committed rules of some groups. */
export interface PromtoolCase {
  readonly groups: readonly string[];
  /** Of these groups this rule alone is evaluated, as what promtool needs grows with their number. */
  readonly alert?: string;
  readonly tests: readonly object[];
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly { readonly alert?: string }[] }[];
}

const committed = (group: string): string =>
  fileURLToPath(new URL(`../../config/prometheus/rules/${group}.yml`, import.meta.url));

/** The committed file of a group with one of its rules. */
function pickRule(group: string, alert: string): string {
  const { groups } = parse(readFileSync(committed(group), 'utf8')) as RuleFile;
  return stringify({
    groups: groups.map((one) => ({ ...one, rules: one.rules.filter((rule) => rule.alert === alert) })),
  });
}

/** Runs a test of promtool on the text of a rule file; resolves to what it says is wrong, nothing when all holds. */
export async function testRuleText(rules: string, test: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-promtool-'));
  try {
    const [ruleFile, file] = [join(folder, 'rules.yml'), join(folder, 'test.yml')];
    writeFileSync(ruleFile, rules);
    const plan = { rule_files: [ruleFile], evaluation_interval: `${STEP_SECONDS}s`, tests: [test] };
    writeFileSync(file, stringify(plan, { lineWidth: 0 }));
    const { status, output } = await promtool(['test', 'rules', file]);
    return status === 0 ? '' : output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs all cases in one run of promtool; resolves to what it says is wrong with each, nothing where all holds. */
export async function testCases<Name extends string>(
  cases: Readonly<Record<Name, PromtoolCase>>,
): Promise<Readonly<Record<Name, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-promtool-'));
  const names = Object.keys(cases) as Name[];
  try {
    const files = names.map((name, index) => {
      const { groups, alert, tests } = cases[name];
      const rules = groups.map((group) => {
        if (alert === undefined) return committed(group);
        const path = join(folder, `${index}-${group}.yml`);
        writeFileSync(path, pickRule(group, alert));
        return path;
      });
      const file = join(folder, `test-${index}.yml`);
      const plan = { rule_files: rules, evaluation_interval: `${STEP_SECONDS}s`, tests };
      writeFileSync(file, stringify(plan, { lineWidth: 0 }));
      return file;
    });
    const { output } = await promtool(['test', 'rules', ...files]);
    const parts = new Map(output.split(/^Unit Testing: {2}/m).map((part) => [part.split('\n', 1)[0], part]));
    const isWell = (part: string | undefined) => part !== undefined && /^ {2}SUCCESS$/m.test(part);
    return Object.fromEntries(
      names.map((name, index) => {
        const part = parts.get(files[index]);
        return [name, isWell(part) ? '' : (part ?? output)];
      }),
    ) as Record<Name, string>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One case without a name; resolves to what is wrong, nothing when all holds. */
export const testRules = async (groups: readonly string[], tests: readonly object[]): Promise<string> =>
  (await testCases({ all: { groups, tests } })).all;

/** What promtool's own checks say of files. */
export const checkWithPromtool = (what: string, files: readonly string[]) => promtool(['check', what, ...files]);
