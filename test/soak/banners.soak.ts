import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { demoNodeNames, expectedProblems, FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { findChromium } from '../support/chromium.ts';
import { eventually, startDaemon } from '../support/cli.ts';
import { FROM_START } from '../support/fault-alerts.ts';
import { useCleanups } from '../support/use-cleanups.ts';

/** Where the pictures go, for a person to look at. */
const PICTURES = fileURLToPath(new URL('../../coverage/pages/', import.meta.url));

const SCREENS = [
  ['phone', 360, 780],
  ['desktop', 1_440, 1_000],
] as const;

/** As many as two processors watch without being late. */
const AT_ONCE = 4;
const MAX_WAIT_MS = 20 * 60_000;
const MAX_DELAY_MS = 5_000;

/** No problem; seen by a browser alone; of the clock of subnetd; of a subnetd that starts with it. */
const LEFT_OUT: readonly FaultName[] = ['rolling-restart', 'console-error', 'clock-step', ...FROM_START];
/** A check that is only degraded is a problem after a quarter of an hour, so these wait together. */
const DEGRADED: readonly FaultName[] = ['admin-not-exposed', 'log-level-low'];
const faults = [...FAULT_NAMES.filter((fault) => ![...LEFT_OUT, ...DEGRADED].includes(fault)), ...DEGRADED];
const batches = Array.from({ length: Math.ceil(faults.length / AT_ONCE) }, (_, index) => {
  const batch = faults.slice(index * AT_ONCE, (index + 1) * AT_ONCE);
  return [batch.join(', '), batch] as const;
});

interface ShownProblem {
  readonly problem: string;
  readonly name?: string;
  readonly state: string;
  readonly severity: string;
  readonly summary: string;
}
interface Status {
  readonly subnets: readonly [
    { readonly headline: { readonly sentence: string }; readonly problems: readonly ShownProblem[] },
  ];
}

const { cleanups, pathOf } = useCleanups();
let browser: Browser;
beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  const env = { HOME: tmpdir(), PATH: process.env.PATH ?? '' };
  browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'], env });
});
afterAll(() => browser?.close());

/** A simulated subnet called like the fault that it will have, and the page of the daemon that watches it. */
async function watch(fault: FaultName) {
  const simulation = await startSimulation({ nodes: 4, faults: [] });
  cleanups.push(simulation.stop);
  const { subnets, docker } = parse(simulation.inventory());
  const config = pathOf(`${fault}.yaml`);
  writeFileSync(config, stringify({ subnets: [{ ...subnets[0], name: fault }], docker }));
  const daemon = await startDaemon(config, { SUBNETD_DATABASE_URL: `sqlite:${pathOf(`${fault}.db`)}` });
  cleanups.push(async () => {
    daemon.child.kill('SIGKILL');
    await daemon.finished;
  });
  return { simulation, url: daemon.url };
}

async function takePictures(url: string, fault: FaultName): Promise<void> {
  for (const [screen, width, height] of SCREENS)
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme });
      const page = await context.newPage();
      await page.goto(url);
      await page.screenshot({ path: `${PICTURES}${fault}-${screen}-${colorScheme}.png`, fullPage: true });
      await context.close();
    }
}

async function showFault(fault: FaultName): Promise<void> {
  const { simulation, url } = await watch(fault);
  const page = await browser.newPage();
  let loads = 0;
  page.on('framenavigated', () => {
    loads += 1;
  });
  await page.goto(url);
  await page.getByText(`${fault} is healthy`).first().waitFor({ timeout: MAX_WAIT_MS });
  await simulation.setFaults([fault]);

  const expected = expectedProblems([fault], { nodes: demoNodeNames(4), browser: false });
  const known = await eventually(async () => {
    const { subnets } = (await (await fetch(`${url}/status.json`)).json()) as Status;
    const open = subnets[0].problems.filter(({ state }) => state === 'open');
    const named = expected.map((words) => {
      const [problem, name] = words.split(' ');
      const one = open.find((shown) => shown.problem === problem && shown.name === name);
      if (one === undefined) throw new Error(`${words} is not open: ${open.map((shown) => shown.problem)}`);
      return one;
    });
    return { named, sentence: subnets[0].headline.sentence };
  }, MAX_WAIT_MS);

  const causes = known.named.filter(({ name, severity }) => name !== undefined && severity !== 'info').slice(0, 3);
  await eventually(async () => {
    const text = (await page.locator('#banner').innerText()).replaceAll(/\s+/g, ' ').toLowerCase();
    expect(text).toContain(known.sentence.toLowerCase());
    for (const { summary } of causes) expect(text).toContain(summary.toLowerCase());
  }, MAX_DELAY_MS);
  for (const { summary } of known.named)
    expect((await page.locator('main').innerText()).toLowerCase()).toContain(summary.toLowerCase());
  expect(loads).toBe(1);
  await page.close();
  await takePictures(url, fault);
}

it.each(batches)('a page that is open names the cause of %s within 5 s of the problem', async (_, batch) => {
  await Promise.all(batch.map(showFault));
});
