import { writeFileSync } from 'node:fs';
import { alertRules } from '../src/alerts/alert-rules.ts';
import { type FaultName, listFaults } from '../src/demo/faults.ts';
import { findChromium } from '../src/demo/find-chromium.ts';
import { faultAlerts } from '../test/support/fault-alerts.ts';
import { judgeRun } from '../test/support/judge-run.ts';
import { type FaultRun, runFault, waitForCalm, waitForHistory } from '../test/support/run-fault.ts';
import { startStack } from '../test/support/start-stack.ts';

/**
 * Lets every fault of the demo happen at once, each in a subnet of its own with four nodes and a subnetd, under one real
 * Prometheus and one real Alertmanager with the shipped configuration, times included. Prints what a receiver was told and
 * writes docs/fault-matrix.md. Names of faults as words let only those happen, and write nothing. Exit code 1 when
 * something was told that should not be, or was not that should.
 */
const MINUTE = 60_000;
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

/** One row for each alert that was told of a fault. */
function toRows({ fault, toldAfter, inhibited }: FaultRun): readonly string[] {
  const told = Object.entries(toldAfter).sort(([, one], [, other]) => one - other);
  return told.map(([alert, seconds], index) => {
    const held = index === 0 ? inhibited.join(', ') : '';
    return `| ${index === 0 ? fault : ''} | ${alert} | ${severityOf(alert)} | ${Math.round(seconds)} | ${held} |`;
  });
}

const toPage = (runs: readonly FaultRun[]): string => {
  const told = new Set(runs.flatMap(({ toldAfter, inhibited }) => [...Object.keys(toldAfter), ...inhibited]));
  const untold = alertRules
    .map(({ name }) => name)
    .filter((name) => ![...told].some((of) => of.split(' ')[0] === name));
  return `# Every fault of the demo, and its alerts

Which alert does a fault raise, how soon, and what is inhibited? \`npm run matrix\` measures this page in about half an hour. Each fault of
\`subnetd demo\` lasts at least eight minutes, in its own subnet with four nodes. Prometheus and Alertmanager are real and use the
configuration in \`config/\`. No time is shortened. The checks have the schedules of the demo (submissions within a minute, blocks for the
stats server within 30 seconds) and defaults for the rest.

- **seconds** is the time from the fault to the message at a webhook receiver. \`critical\` goes to the receiver \`page\`, \`warning\` and
  \`info\` to \`ticket\`. Each alert is notified once when it starts, and once when it ends.
- **inhibited** alerts fire in Prometheus and reach Alertmanager, but notify nobody, because they follow from the others.

| fault | notified | severity | seconds | inhibited |
| --- | --- | --- | --- | --- |
${runs.flatMap(toRows).join('\n')}

A degraded check notifies after a quarter of an hour, because it is not urgent. \`npm test\` runs some of these faults with times twelve
times shorter. \`npm run soak\` watches a healthy demo for half an hour, in which no alert may fire.

No fault of the demo raises the following alerts. \`npm test\` tests their rules with promtool, and their conditions for the push on
literals:

${untold.map((name) => `- [${name}](alerts/${name}.md)`).join('\n')}
`;
};

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
      const fault = watched.name as FaultName;
      await waitForCalm(stack, watched, 10 * MINUTE);
      const run = await runFault(stack, watched, fault, faultAlerts[fault], PATIENCE);
      for (const line of [...toRows(run), ...judgeRun(run, faultAlerts[fault])]) say(line);
      return run;
    }),
  );
  const problems = runs.flatMap((run) => judgeRun(run, faultAlerts[run.fault]));
  const page = toPage(runs);
  say(`\n${page}`);
  if (words.length === 0) writeFileSync(new URL('../docs/fault-matrix.md', import.meta.url), page);
  for (const problem of problems) process.stderr.write(`npm run matrix: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await stack.stop();
}
