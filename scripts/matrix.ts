import { readFileSync, writeFileSync } from 'node:fs';
import { alertRules } from '../src/alerts/alert-rules.ts';
import { listFaults } from '../src/demo/faults.ts';
import { findChromium } from '../src/demo/find-chromium.ts';
import { faultAlerts, isMeasured, MEASURED_FAULTS, type MeasuredFault } from '../test/support/fault-alerts.ts';
import { judgeRun } from '../test/support/judge-run.ts';
import { type FaultRun, runFault, waitForCalm, waitForHistory } from '../test/support/run-fault.ts';
import { startStack } from '../test/support/start-stack.ts';
import { type MatrixRow, parseMatrix, stampOf, toMatrix } from './matrix-page.ts';

/**
 * Runs every fault of the demo at once, each in its own subnet with four nodes and a subnetd. One real Prometheus and
 * one real Alertmanager watch them with the shipped configuration, times included. Prints the notifications of a
 * receiver and writes docs/fault-matrix.md. With names of faults as words, only those happen, and only their rows are
 * replaced. Exits with 1 and writes nothing when a notification was wrong or missing.
 */
const PAGE = new URL('../docs/fault-matrix.md', import.meta.url);
const MINUTE = 60_000;
const PATIENCE = { holdMs: 8 * MINUTE, withinMs: 25 * MINUTE };

const say = (line: string) => process.stdout.write(`${line}\n`);

const words = process.argv.slice(2);
const parts = { nodes: ['subnet1', 'subnet2', 'subnet3', 'subnet4'], browser: true };
const faults = listFaults(parts).filter(({ name }) => isMeasured(name) && (words.length === 0 || words.includes(name)));

const unknown = words.filter((word) => !faults.some(({ name }) => name === word));
if (unknown.length > 0) {
  process.stderr.write(
    `npm run matrix: there is no fault ${unknown.join(', ')}; "subnetd demo --list-faults" lists them\n`,
  );
  process.exit(2);
}

const severityOf = (alert: string) => alertRules.find(({ name }) => name === alert.split(' ')[0])?.severity;

/** One row for each alert that was notified of a fault. */
function toRows({ fault, toldAfter, inhibited }: FaultRun): readonly MatrixRow[] {
  const notified = Object.entries(toldAfter).sort(([, one], [, other]) => one - other);
  return notified.map(([alert, seconds], index) => ({
    fault,
    alert,
    severity: severityOf(alert) ?? '',
    seconds: Math.round(seconds),
    inhibited: index === 0 ? inhibited : [],
    stamp: index === 0 ? stampOf(fault) : '',
  }));
}

const chromium = findChromium(process.env.PATH ?? '');
const plans = faults.map(({ name, fails }) => ({
  name,
  ...(fails.some((check) => check.endsWith('/console')) && { browser: chromium }),
}));
const stack = await startStack(plans, 1);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.stop().finally(() => process.exit(1)));
try {
  say(`${stack.subnets.length} subnets are up`);
  await waitForHistory(stack);
  const runs = await Promise.all(
    stack.subnets.map(async (watched) => {
      const fault = watched.name as MeasuredFault;
      await waitForCalm(stack, watched, 10 * MINUTE);
      const run = await runFault(stack, watched, fault, faultAlerts[fault], PATIENCE);
      for (const { alert, seconds } of toRows(run)) say(`${fault}: ${alert} after ${seconds} s`);
      for (const problem of judgeRun(run, faultAlerts[fault])) say(problem);
      return run;
    }),
  );
  const errors = runs.flatMap((run) => judgeRun(run, faultAlerts[run.fault]));
  const before = parseMatrix(readFileSync(PAGE, 'utf8'));
  const measured = new Map<string, readonly MatrixRow[]>(runs.map((run) => [run.fault, toRows(run)]));
  const rows = MEASURED_FAULTS.flatMap((name) => measured.get(name) ?? before.filter(({ fault }) => fault === name));
  if (errors.length === 0) writeFileSync(PAGE, toMatrix(rows));
  for (const error of errors) process.stderr.write(`npm run matrix: ${error}\n`);
  if (errors.length > 0) process.exitCode = 1;
} finally {
  await stack.stop();
}
