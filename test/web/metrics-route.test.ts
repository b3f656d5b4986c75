import { gunzipSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { ScrapeAnswer, ScrapeRequest } from '../../src/tell/metrics/create-scrapes.ts';
import { answerMetrics } from '../../src/web/metrics-route.ts';

const toChunks = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text));

/** The route on a page of these chunks, and what it was asked for. */
function start(
  answer: (request: ScrapeRequest) => ScrapeAnswer = ({ isGzip }) => ({
    kind: 'page',
    chunks: isGzip ? [gzipSync('a_metric 1\n')] : toChunks('a_metric 1\n'),
  }),
) {
  const requests: ScrapeRequest[] = [];
  const app = new Hono().get(
    '/metrics',
    answerMetrics(async (request) => {
      requests.push(request);
      return answer(request);
    }),
  );
  return { app, requests };
}

const OPENMETRICS = 'application/openmetrics-text';
const ESCAPED = 'escaping=allow-utf-8';

describe('/metrics', () => {
  it.each([
    ['nobody says what is wanted', undefined, 'text/plain; version=0.0.4; charset=utf-8'],
    ['anything is', '*/*', 'text/plain; version=0.0.4; charset=utf-8'],
    ['a browser asks', 'text/html,application/xhtml+xml,*/*;q=0.8', 'text/plain; version=0.0.4; charset=utf-8'],
    [
      'Prometheus 2 asks',
      `${OPENMETRICS};version=1.0.0,${OPENMETRICS};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1`,
      `${OPENMETRICS}; version=1.0.0; charset=utf-8`,
    ],
    [
      'Prometheus 3 asks',
      `${OPENMETRICS};version=1.0.0;${ESCAPED};q=0.6,${OPENMETRICS};version=0.0.1;q=0.5,text/plain;version=1.0.0;${ESCAPED};q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`,
      `${OPENMETRICS}; version=1.0.0; charset=utf-8; ${ESCAPED}`,
    ],
    [
      'Prometheus 3 asks for protobuf first',
      `application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;version=1.0.0;escaping=underscores;q=0.5,${OPENMETRICS};version=1.0.0;q=0.4`,
      'text/plain; version=1.0.0; charset=utf-8; escaping=underscores',
    ],
    [
      'the oldest OpenMetrics is wanted',
      `${OPENMETRICS}; version=0.0.1`,
      `${OPENMETRICS}; version=0.0.1; charset=utf-8`,
    ],
    ['OpenMetrics of any version is', OPENMETRICS, `${OPENMETRICS}; version=1.0.0; charset=utf-8`],
    ['the version is in quotes', `${OPENMETRICS}; Version="1.0.0"`, `${OPENMETRICS}; version=1.0.0; charset=utf-8`],
    ['one version is refused', `${OPENMETRICS};version=1.0.0;q=0,text/*`, 'text/plain; version=0.0.4; charset=utf-8'],
    [
      'a version is unknown',
      `${OPENMETRICS};version=2.0.0,text/plain;version=1.0.0`,
      'text/plain; version=1.0.0; charset=utf-8',
    ],
    [
      'the escaping is nonsense',
      `${OPENMETRICS};version=1.0.0;escaping=x`,
      `${OPENMETRICS}; version=1.0.0; charset=utf-8`,
    ],
    ['nothing of ours is accepted', 'application/json', 'text/plain; version=0.0.4; charset=utf-8'],
    ['the header is broken', ';;,=;q=x,', 'text/plain; version=0.0.4; charset=utf-8'],
  ])('answers in the format that fits when %s', async (_, accept, type) => {
    const { app, requests } = start();
    const response = await app.request('/metrics', accept === undefined ? {} : { headers: { accept } });
    expect(response.headers.get('content-type')).toBe(type);
    expect(requests[0]?.format).toBe(type.startsWith(OPENMETRICS) ? 'openmetrics' : 'text');
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
  });

  it('is compressed only when that is accepted', async () => {
    const { app } = start();
    const plain = await app.request('/metrics');
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, 'a_metric 1\n']);
    const packed = await app.request('/metrics', { headers: { 'Accept-Encoding': 'gzip;q=1.0,*;q=0.1' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('a_metric 1\n');
    const refused = await app.request('/metrics', { headers: { 'Accept-Encoding': 'gzip;q=0' } });
    expect(refused.headers.get('content-encoding')).toBeNull();
  });

  it('asks for the subnets that are named, and says what is wrong with an unknown one', async () => {
    const { app, requests } = start(({ subnets }) =>
      subnets.includes('c')
        ? { kind: 'unknown', error: 'no subnet here is called "c"' }
        : { kind: 'page', chunks: toChunks('x') },
    );
    await app.request('/metrics?subnet=a&subnet=b%20b');
    expect(requests[0]?.subnets).toEqual(['a', 'b b']);
    const unknown = await app.request('/metrics?subnet=c');
    expect([unknown.status, await unknown.text()]).toEqual([404, 'no subnet here is called "c"\n']);
    await app.request('/metrics');
    expect(requests.at(-1)?.subnets).toEqual([]);
  });

  it('is empty where there is nothing', async () => {
    const { app } = start(() => ({ kind: 'page', chunks: toChunks() }));
    expect(await (await app.request('/metrics')).text()).toBe('');
  });

  it('is sent chunk by chunk', async () => {
    const { app } = start(() => ({ kind: 'page', chunks: toChunks('a 1\n', 'b 1\n') }));
    const reader = (await app.request('/metrics')).body?.getReader();
    expect((await reader?.read())?.value?.toString()).toBe('a 1\n');
    expect((await reader?.read())?.value?.toString()).toBe('b 1\n');
    expect((await reader?.read())?.done).toBe(true);
  });
});
