import { spawnSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NO_BROWSER, type Running, startCli } from '../support/cli.ts';
import { findProgram } from '../support/engine.ts';
import { parseOpenMetrics } from '../support/parse-openmetrics.ts';
import { startPrometheus } from '../support/prometheus.ts';

const soon = { timeout: 60_000, interval: 100 };
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0';

/** The series of a page in the text format. */
const seriesOf = (page: string): readonly string[] =>
  page
    .split('\n')
    .flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.slice(0, line.lastIndexOf(' '))]));

/** As the text format writes a series. */
const toSeries = (name: string, labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.toSorted().join()}}`;
};

/** The same, whatever the order of its labels. */
const sorted = (series: string): string => {
  const [, name = '', labels = ''] = /^(\w+)\{?(.*?)\}?$/.exec(series) ?? [];
  return toSeries(
    name,
    Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
  );
};

const isCreated = (series: string): boolean => /^\w+_created(\{|$)/.test(series);

describe('OpenMetrics of a whole subnet', () => {
  let demo: Running;
  let url: string;
  const get = async (accept: string, query = ''): Promise<Response> =>
    fetch(`${url}/metrics${query}`, { headers: { accept, 'accept-encoding': 'identity' } });
  const read = async (accept: string, query?: string): Promise<string> => (await get(accept, query)).text();

  beforeAll(async () => {
    demo = startCli(['demo', '--listen', '127.0.0.1:0'], NO_BROWSER);
    const [, found = ''] = await demo.waitFor(/(http:\S+)\/metrics/);
    url = found;
    await vi.waitFor(async () => {
      const page = await read('*/*');
      expect(page).toMatch(/^subnet_node_block_number\{.*committed/m);
      expect(page).toMatch(/^subnet_container_memory_bytes\{/m);
    }, soon);
  });
  afterAll(async () => {
    demo.child.kill('SIGTERM');
    await demo.finished;
  });

  test('is read by its reference parser, with types, units and times of creation', async () => {
    const response = await get(OPENMETRICS);
    expect(response.headers.get('content-type')).toBe(`${OPENMETRICS}; charset=utf-8`);
    const families = parseOpenMetrics(await response.text());
    const find = (name: string) => families.find((family) => family.name === name);
    expect(find('subnet_check_runs')).toMatchObject({ type: 'counter', unit: '' });
    expect(find('subnet_check_duration_seconds')).toMatchObject({ type: 'gauge', unit: 'seconds' });
    expect(find('subnet_container_memory_bytes')).toMatchObject({ type: 'gauge', unit: 'bytes' });
    expect(find('subnetd_http_request_duration_seconds')).toMatchObject({ type: 'histogram', unit: 'seconds' });
    const cpu = find('process_cpu_seconds');
    expect(cpu).toMatchObject({ type: 'counter', unit: 'seconds' });
    expect(cpu?.samples.map(([name]) => name)).toEqual(['process_cpu_seconds_total', 'process_cpu_seconds_created']);
    const [[, , start] = []] = find('process_start_time_seconds')?.samples ?? [];
    expect(cpu?.samples[1]?.[2]).toBe(start);
    for (const { name, type, samples } of families)
      if (type === 'counter')
        expect(
          samples.map(([sample]) => sample),
          name,
        ).toContain(`${name}_total`);
  });

  test('has the series of the text format, and of subnetd itself the times of creation', async () => {
    // These two begin with the first request that is answered.
    const isMeant = (one: string) => !one.startsWith('subnetd_http_request');
    // A series may begin between two requests.
    const created = await vi.waitFor(async () => {
      const families = parseOpenMetrics(await read(OPENMETRICS));
      const text = seriesOf(await read('text/plain;version=0.0.4'));
      const series = families.flatMap(({ samples }) => samples.map(([name, labels]) => toSeries(name, labels)));
      const shared = series.filter((one) => isMeant(one) && !isCreated(one));
      expect(shared.toSorted()).toEqual(text.filter(isMeant).map(sorted).toSorted());
      return series.filter(isCreated);
    }, soon);
    expect(created.length).toBeGreaterThan(5);
    expect(created.filter((one) => one.startsWith('subnet_'))).toEqual([]);
  });

  test('of one subnet is whole, and has nothing of subnetd itself', async () => {
    const families = parseOpenMetrics(await read(OPENMETRICS, '?subnet=demo'));
    expect(families.map(({ name }) => name)).toContain('subnet_check_success');
    expect(families.filter(({ name }) => !name.startsWith('subnet_'))).toEqual([]);
    const unknown = await get(OPENMETRICS, '?subnet=other');
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      'no subnet here is called "other"; ask for one of: demo\n',
    ]);
  });

  test('arrives whole through curl, gzip and Node.js when it is compressed', async () => {
    const curl = (...words: readonly string[]) =>
      spawnSync(
        findProgram('curl', 'curl'),
        ['--silent', '--show-error', '--fail', ...words, `${url}/metrics?subnet=demo`],
        {
          maxBuffer: 1 << 26,
        },
      );
    // The values change between two requests, and a series may begin.
    await vi.waitFor(() => {
      const plain = seriesOf(curl().stdout.toString());
      expect(plain.length).toBeGreaterThan(100);
      expect(seriesOf(curl('--compressed').stdout.toString())).toEqual(plain);
      const packed = curl('--header', 'Accept-Encoding: gzip').stdout;
      const tested = spawnSync('gzip', ['--test', '--verbose'], { input: packed, encoding: 'utf8' });
      expect([tested.status, tested.stderr]).toEqual([0, expect.stringContaining('OK')]);
      expect(seriesOf(gunzipSync(packed).toString())).toEqual(plain);
    }, soon);
  });

  test('is what Prometheus asks for, and stores as the series of the text format', async () => {
    const target = new URL(url).host;
    const job = { job_name: 'subnetd', static_configs: [{ targets: [target] }] };
    const prometheus = await startPrometheus(
      JSON.stringify({ global: { scrape_interval: '200ms' }, scrape_configs: [job] }),
    );
    try {
      await vi.waitFor(async () => {
        const stored = (await prometheus.get('series', {
          'match[]': '{job="subnetd",__name__=~"subnet_.*|subnetd_config.*|process_.*"}',
        })) as readonly Readonly<Record<string, string>>[];
        const names = stored
          .map(({ __name__ = '', job: _, instance: __, ...labels }) => toSeries(__name__, labels))
          .filter((one) => !isCreated(one))
          .toSorted();
        const text = seriesOf(await read('text/plain'))
          .filter((one) => /^(subnet_|subnetd_config|process_)/.test(one))
          .map(sorted);
        expect(names).toEqual(text.toSorted());
      }, soon);
      // Only OpenMetrics gives a unit.
      expect(await prometheus.get('targets/metadata', { metric: 'subnet_check_duration_seconds' })).toMatchObject([
        { type: 'gauge', unit: 'seconds' },
      ]);
      expect(await prometheus.get('targets', { state: 'active' })).toMatchObject({
        activeTargets: [{ health: 'up', lastError: '' }],
      });
    } finally {
      await prometheus.stop();
    }
  }, 120_000);
});
