import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseDocument } from 'yaml';
import { NO_BROWSER, type Running, startCli } from '../support/cli.ts';
import { findProgram } from '../support/engine.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { runCommand } from '../support/run-command.ts';

const pathTo = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const nodes = ['subnet1', 'subnet2', 'subnet3', 'subnet4'];
const soon = { timeout: 60_000, interval: 100 };

/** Of each node four, of bootnode, relayer, stats server and frontend two, three, four and four. */
const checks = nodes.length * 4 + 2 + 3 + 4 + 4;

/** The project's own configuration, but of this daemon and often. */
async function toConfiguration(target: string): Promise<string> {
  const document = parseDocument(await readFile(pathTo('config/prometheus/prometheus.yml'), 'utf8'));
  document.setIn(['global', 'scrape_interval'], '500ms');
  document.setIn(['scrape_configs', 0, 'static_configs', 0, 'targets'], [target]);
  document.deleteIn(['scrape_configs', 1]);
  return document.toString();
}

const samplesOf = (page: string): readonly string[] =>
  page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('a real Prometheus', () => {
  const begun: Running[] = [];
  let prometheus: Prometheus | undefined;

  const end = async ({ child, finished }: Running) => {
    const overtime = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.kill('SIGTERM');
    await finished;
    clearTimeout(overtime);
  };

  const startDemo = async (flags: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) => {
    const demo = startCli(['demo', '--listen', '127.0.0.1:0', ...flags], environment);
    begun.push(demo);
    const [, url = ''] = await demo.waitFor(/(http:\S+)\/metrics/);
    return { url, stop: () => end(demo) };
  };

  const watch = async (demo: { readonly url: string }) => {
    prometheus = await startPrometheus(await toConfiguration(new URL(demo.url).host));
    return prometheus;
  };

  /** Two tests look at it, and the second ends it. */
  let healthy: Awaited<ReturnType<typeof startDemo>>;
  beforeAll(async () => {
    healthy = await startDemo();
  });
  afterEach(async () => {
    await prometheus?.stop();
    prometheus = undefined;
  });
  afterAll(() => Promise.all(begun.splice(0).map(end)));

  test('has nothing to say about the names, types and help of the metrics', async () => {
    const page = await vi.waitFor(async () => {
      const text = await (await fetch(`${healthy.url}/metrics`)).text();
      expect(text.match(/^subnet_check_success\{/gm)).toHaveLength(checks);
      return text;
    }, soon);
    const promtool = findProgram('promtool', 'prometheus');
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: page, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('sees a healthy subnet: every check passes, every node rises, no sample is dropped', async () => {
    const prometheus = await watch(healthy);
    // All at once: a busy machine can make a check late for a moment.
    await vi.waitFor(async () => {
      expect(await prometheus.value('count(subnet_check_success == 1)')).toBe(checks);
      expect(await prometheus.value('up{job="subnetd"}')).toBe(1);
      expect(await prometheus.query('subnet_check_success != 1')).toEqual([]);
      expect(await prometheus.query('subnet_check_degraded != 0')).toEqual([]);
      expect(await prometheus.query('subnet_nodes')).toMatchObject([
        { labels: { subnet: 'demo' }, value: nodes.length },
      ]);
      const up = await prometheus.query('sort_desc(subnet_node_up == 1)');
      expect(up.map(({ labels }) => labels.name).toSorted()).toEqual(nodes);
      expect(await prometheus.query('subnet_node_peers != subnet_node_peers_expected')).toEqual([]);
      expect(await prometheus.value('count(subnet_node_peers)')).toBe(nodes.length);
    }, soon);
    await vi.waitFor(async () => {
      const risen = await prometheus.value('count(changes(subnet_node_block_number{block="latest"}[1m]) > 0)');
      expect(risen).toBe(nodes.length);
    }, soon);

    await vi.waitFor(async () => {
      // What Prometheus asks for, too.
      const headers = { accept: 'application/openmetrics-text;version=1.0.0' };
      const page = await (await fetch(`${healthy.url}/metrics`, { headers })).text();
      expect(await prometheus.value('scrape_samples_scraped{job="subnetd"}')).toBe(samplesOf(page).length);
    }, soon);
    expect(await prometheus.get('targets')).toMatchObject({ activeTargets: [{ health: 'up', lastError: '' }] });

    await healthy.stop();
    await vi.waitFor(async () => expect(await prometheus.value('up{job="subnetd"}')).toBe(0), soon);
  }, 120_000);

  test('sees exactly the checks that a broken subnet fails', async () => {
    const prometheus = await watch(await startDemo(['--fault', 'peer-missing', '--fault', 'service-down'], NO_BROWSER));
    // All but the check of the frontend's console. Nothing is said of blocks that do not come before they have had their time.
    const late = { timeout: 60_000, interval: 200 };
    const promised = await faultyChecks('peer-missing', 'service-down');
    await vi.waitFor(async () => {
      expect(await prometheus.value('count(subnet_check_success)')).toBe(checks - 1);
      const failing = await prometheus.query('subnet_check_success == 0');
      expect(failing.map(({ labels }) => `${labels.component}/${labels.name}/${labels.check}`).toSorted()).toEqual(
        promised,
      );
    }, late);
  }, 90_000);
});

/** What `subnetd demo --list-faults` says of these faults. */
async function faultyChecks(...names: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runCommand(['demo', '--list-faults', '--json']);
  const faults = JSON.parse(stdout) as readonly { readonly name: string; readonly fails: readonly string[] }[];
  return faults.flatMap(({ name, fails }) => (names.includes(name) ? fails : [])).toSorted();
}
