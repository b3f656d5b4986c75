import { readFileSync, writeFileSync } from 'node:fs';
import { demoNodeNames, expectedProblems, FAULT_NAMES, type FaultName, findFaultErrors } from '../src/demo/faults.ts';
import { findChromium } from '../src/demo/find-chromium.ts';
import type { SubnetState } from '../src/model/snapshot.ts';
import { KINDS, type StagedSubnet, startStage } from '../test/support/demo-stage.ts';
import { FROM_START, PROBLEMS_BEFORE } from '../test/support/fault-alerts.ts';
import { IMPOSSIBLE, type MatrixRow, OTHER_KINDS, type OtherKind, parseMatrix, toMatrix } from './matrix-page.ts';

/**
 * Runs every fault of the demo in networks of other clients, all at once: one monitor with the shipped times watches them.
 * Prints the words of each problem, and writes the columns of docs/fault-matrix.md. With names of faults as words, only those
 * happen, and with names of kinds only in those. A fault with a wrong or missing problem keeps its old cell, and the exit code is 1.
 */
const PAGE = new URL('../docs/fault-matrix.md', import.meta.url);
const MINUTE = 60_000;
const CALM_MS = 5 * MINUTE;
/** A failure that ends a program is reported for ten minutes after it, and who lagged until it has made a hundred blocks in a row. */
const END_MS = 30 * MINUTE;
const HOLD_MS = 8 * MINUTE;
/** A degraded check is a problem after a quarter of an hour, and who lags after some more minutes. */
const WITHIN_MS = 27 * MINUTE;

const say = (line: string) => process.stdout.write(`${line}\n`);
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Run {
  readonly kind: OtherKind;
  readonly fault: FaultName;
  readonly expected: readonly string[];
}

interface Outcome extends Run {
  /** Seconds from the fault to the moment at which a problem was first open. */
  readonly openAfter: Readonly<Record<string, number>>;
  readonly errors: readonly string[];
}

const words = process.argv.slice(2);
const named = OTHER_KINDS.filter((kind) => words.includes(kind));
const chosen = words.filter((word) => !(OTHER_KINDS as readonly string[]).includes(word));
const unknown = chosen.filter((word) => !(FAULT_NAMES as readonly string[]).includes(word));
if (unknown.length > 0) {
  process.stderr.write(`npm run matrix:kinds: there is no fault ${unknown.join(', ')}\n`);
  process.exit(2);
}
const faults = FAULT_NAMES.filter((name) => chosen.length === 0 || chosen.includes(name));
const isPossible = (fault: FaultName, kind: OtherKind) => findFaultErrors([fault], 4, KINDS[kind]).length === 0;

const runs: readonly Run[] = (named.length === 0 ? OTHER_KINDS : named).flatMap((kind) =>
  faults
    .filter((fault) => isPossible(fault, kind))
    .map((fault) => {
      const parts = { nodes: demoNodeNames(4), clients: KINDS[kind], browser: fault === 'console-error' };
      return { kind, fault, expected: [...expectedProblems([fault], parts), ...(PROBLEMS_BEFORE[fault] ?? [])] };
    }),
);

const nameOf = ({ problem, name }: { readonly problem: string; readonly name?: string }): string =>
  [problem, name].filter(Boolean).join(' ');

const openOf = ({ problems }: SubnetState) => problems.filter(({ state }) => state !== 'suspected');

const badOf = (state: SubnetState): readonly string[] => [
  ...state.targets.flatMap(({ target, checks }) =>
    checks
      .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
      .map(({ check, verdict }) => `${target.name} ${check} is ${verdict}`),
  ),
  ...openOf(state).map(nameOf),
];

/** Waits until nothing is wrong, and gives what still is after a while. */
async function waitForCalm(subnet: StagedSubnet, withinMs: number): Promise<readonly string[]> {
  const until = performance.now() + withinMs;
  for (;;) {
    const bad = badOf(subnet.state());
    if (bad.length === 0 || performance.now() > until) return bad;
    await sleep(1_000);
  }
}

async function measure(subnet: StagedSubnet, run: Run): Promise<Outcome> {
  const early = FROM_START.includes(run.fault) ? [] : await waitForCalm(subnet, CALM_MS);
  const openAfter: Record<string, number> = {};
  const begun = performance.now();
  await subnet.simulation.setFaults([run.fault]);
  for (;;) {
    const passed = performance.now() - begun;
    for (const problem of openOf(subnet.state())) {
      const name = nameOf(problem);
      if (openAfter[name] === undefined) {
        openAfter[name] = Math.round(passed / 1_000);
        say(`${run.kind} ${run.fault}: ${name} (${openAfter[name]} s): ${problem.summary}; ${problem.fix}`);
      }
    }
    const hasAll = run.expected.every((name) => openAfter[name] !== undefined);
    if ((hasAll && passed >= HOLD_MS) || passed > WITHIN_MS) break;
    await sleep(1_000);
  }
  await subnet.simulation.setFaults([]);
  const late = await waitForCalm(subnet, END_MS);
  const open = Object.keys(openAfter);
  const errors = [
    ...early.map((what) => `before it, ${what}`),
    ...run.expected.filter((name) => !open.includes(name)).map((name) => `${name} did not come`),
    ...open.filter((name) => !run.expected.includes(name)).map((name) => `${name} is false`),
    ...late.map((what) => `after it, ${what}`),
  ];
  return { ...run, openAfter, errors: errors.map((error) => `${run.kind} ${run.fault}: ${error}`) };
}

async function measureAll(some: readonly Run[], fromStart: readonly FaultName[] = []): Promise<readonly Outcome[]> {
  if (some.length === 0) return [];
  const browser = findChromium(process.env.PATH ?? '');
  const stage = await startStage(
    some.map(({ kind, fault }) => ({
      name: `${fault}-${kind}`,
      clients: KINDS[kind],
      ...(fault === 'console-error' && { browser }),
    })),
    { faults: fromStart },
  );
  try {
    return await Promise.all(stage.subnets.map((subnet, index) => measure(subnet, some[index] as Run)));
  } finally {
    await stage.stop();
  }
}

/** A subnetd that has lost its network reaches no subnet at all, and one whose clock is set sees all of them through it. */
const isAlone = ({ fault }: Run) => fault === 'monitor-offline' || fault === 'clock-step';
const isFromStart = ({ fault }: Run) => FROM_START.includes(fault);
const groups = [
  measureAll(runs.filter((run) => !isAlone(run) && !isFromStart(run))),
  ...runs.filter(isAlone).map((run) => measureAll([run])),
  ...runs.filter(isFromStart).map((run) => measureAll([run], [run.fault])),
];
const outcomes = (await Promise.all(groups)).flat();

const toCell = ({ openAfter }: Outcome): readonly string[] =>
  Object.entries(openAfter)
    .sort(([, one], [, other]) => one - other)
    .map(([problem, seconds]) => `${problem} (${seconds} s)`);

const rows = parseMatrix(readFileSync(PAGE, 'utf8')).map((row): MatrixRow => {
  const cellOf = (kind: OtherKind): readonly string[] => {
    if (!isPossible(row.fault as FaultName, kind)) return [IMPOSSIBLE];
    const outcome = outcomes.find((one) => one.kind === kind && one.fault === row.fault);
    return outcome === undefined || outcome.errors.length > 0 ? row.kinds[kind] : toCell(outcome);
  };
  return { ...row, kinds: { xdposchain: cellOf('xdposchain'), mixed: cellOf('mixed') } };
});
writeFileSync(PAGE, toMatrix(rows));
const errors = outcomes.flatMap((outcome) => outcome.errors);
for (const error of errors) process.stderr.write(`npm run matrix:kinds: ${error}\n`);
process.exit(errors.length > 0 ? 1 : 0);
