import { readFileSync, writeFileSync } from 'node:fs';
import { type DemoFault, FAULT_NAMES, type FaultName, listFaults } from '../src/demo/faults.ts';
import { findChromium } from '../src/demo/find-chromium.ts';
import { alertRules } from '../src/tell/alerts/alert-rules.ts';
import { faultAlerts } from '../test/support/fault-alerts.ts';
import { judgeRun } from '../test/support/judge-run.ts';
import { type FaultRun, runFault, waitForCalm, waitForHistory } from '../test/support/run-fault.ts';
import { startStack } from '../test/support/start-stack.ts';
import { type MatrixRow, NOT_MEASURED, parseMatrix, stampOf, toMatrix } from './matrix-page.ts';

/**
 * Runs every fault of the demo, some at once, each in its own subnet with four nodes and a subnetd. One real Prometheus
 * and one real Alertmanager watch them with the shipped configuration, times included. Prints the problems of each
 * fault and the notifications of a receiver, and writes docs/fault-matrix.md. With names of faults as words, only those
 * happen, and only their rows are replaced. A fault with a wrong or missing problem or notification keeps its old row, and
 * the exit code is 1.
 */
const PAGE = new URL('../docs/fault-matrix.md', import.meta.url);
const MINUTE = 60_000;
/** A machine with two processors watches so many subnets in time. */
const AT_ONCE = 30;
const PATIENCE = { holdMs: 8 * MINUTE, withinMs: 25 * MINUTE };

const say = (line: string) => process.stdout.write(`${line}\n`);

const words = process.argv.slice(2);
const parts = { nodes: ['subnet1', 'subnet2', 'subnet3', 'subnet4'], browser: true };
const faults = listFaults(parts).filter(({ name }) => words.length === 0 || words.includes(name));

const unknown = words.filter((word) => !faults.some(({ name }) => name === word));
if (unknown.length > 0) {
  process.stderr.write(
    `npm run matrix: there is no fault ${unknown.join(', ')}; "subnetd demo --list-faults" lists them\n`,
  );
  process.exit(2);
}

const severityOf = (alert: string) => alertRules.find(({ name }) => name === alert.split(' ')[0])?.severity;

const bySeconds = (after: Readonly<Record<string, number>>): readonly (readonly [name: string, seconds: number])[] =>
  Object.entries(after)
    .map(([name, seconds]) => [name, Math.round(seconds)] as const)
    .sort(([, one], [, other]) => one - other);

/** The page as it is now: `npm run matrix:kinds` may have written it in the meantime. */
const readRows = () => parseMatrix(readFileSync(PAGE, 'utf8'));
const kindsOf = (fault: FaultName): MatrixRow['kinds'] =>
  readRows().find((row) => row.fault === fault)?.kinds ?? { xdposchain: [NOT_MEASURED], mixed: [NOT_MEASURED] };

const toRow = ({ fault, openAfter, toldAfter, messages, inhibited }: FaultRun): MatrixRow => ({
  fault,
  problems: bySeconds(openAfter).map(([problem, seconds]) => `${problem} (${seconds} s)`),
  alerts: bySeconds(toldAfter).map(([alert, seconds]) => `${alert} (${severityOf(alert)}, ${seconds} s)`),
  messages: messages.filter(({ status }) => status === 'firing').length,
  inhibited,
  kinds: kindsOf(fault),
  stamp: stampOf(fault),
});

const chromium = findChromium(process.env.PATH ?? '');

/** Breaks each of these subnets by its fault, all at once. */
async function measure(some: readonly DemoFault[]): Promise<readonly FaultRun[]> {
  const plans = some.map(({ name, fails }) => ({
    name,
    ...(fails.some((check) => check.endsWith('/console')) && { browser: chromium }),
  }));
  const stack = await startStack(plans, 1);
  const end = () => void stack.stop().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  try {
    say(`${stack.subnets.length} subnets are up`);
    await waitForHistory(stack);
    return await Promise.all(
      stack.subnets.map(async (watched) => {
        const fault = watched.name as FaultName;
        await waitForCalm(stack, watched, 10 * MINUTE);
        const run = await runFault(stack, watched, fault, faultAlerts[fault], PATIENCE);
        const { problems, alerts, messages } = toRow(run);
        say(
          `${fault}: ${problems.join(', ') || 'no problem'}; ${alerts.join(', ') || 'no alert'}; ${messages} messages`,
        );
        for (const error of judgeRun(run, faultAlerts[fault])) say(error);
        return run;
      }),
    );
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, end);
    await stack.stop();
  }
}

const runs: FaultRun[] = [];
for (let from = 0; from < faults.length; from += AT_ONCE)
  runs.push(...(await measure(faults.slice(from, from + AT_ONCE))));

const errorsOf = new Map(runs.map((run) => [run.fault, judgeRun(run, faultAlerts[run.fault])]));
const errors = [...errorsOf.values()].flat();
const before = readRows();
const rows = FAULT_NAMES.flatMap((name) => {
  const run = runs.find(({ fault }) => fault === name && errorsOf.get(fault)?.length === 0);
  return run === undefined ? before.filter(({ fault }) => fault === name) : [toRow(run)];
});
writeFileSync(PAGE, toMatrix(rows));
for (const error of errors) process.stderr.write(`npm run matrix: ${error}\n`);
if (errors.length > 0) process.exitCode = 1;
