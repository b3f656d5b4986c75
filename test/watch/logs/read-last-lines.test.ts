import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { valueWithin } from '../../../src/lib/promises.ts';
import type { Target } from '../../../src/model/target.ts';
import { createDockerLinks } from '../../../src/watch/docker/links.ts';
import { readLastLines } from '../../../src/watch/logs/read-last-lines.ts';
import { frameHeader } from '../../support/engine-streams.ts';
import { startHttp } from '../../support/fake-node.ts';
import { closedAddress } from '../../support/pages.ts';
import { useCleanups } from '../../support/use-cleanups.ts';
import { nodeTarget } from '../../support/views.ts';

const { pathOf } = useCleanups();

/** On a busy machine the first loading takes longer than a log is waited for. */
beforeAll(async () => void (await import('dockerode')), 60_000);

const INSPECTION = {
  Id: 'c1',
  Name: '/n1',
  State: { Status: 'running', StartedAt: '2026-11-22T03:00:00Z', OOMKilled: false },
  HostConfig: {},
  Config: { Tty: false },
};

function toFrame(text: string, stream = 1, stamp = '2026-11-22T03:04:09.123456789Z'): Buffer {
  const body = Buffer.from(`${stamp} ${text}`);
  return Buffer.concat([frameHeader(body.length, stream), body]);
}

/** The links to an engine that answers for the log as the test says. */
async function linkTo(answerLog: (response: ServerResponse, url: string) => void, inspects = true) {
  const server = await startHttp(({ url = '' }, response) => {
    if (url.includes('/logs?')) return answerLog(response, url);
    if (!inspects || url.includes('/events')) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(INSPECTION));
  });
  onTestFinished(server.stop);
  return linkToAddress(server.url);
}

function linkToAddress(address: string) {
  const { hostname, port } = new URL(address);
  const links = createDockerLinks(() => {});
  onTestFinished(links.stop);
  links.setEngines({ default: { host: hostname, port: Number(port) } });
  return links;
}

const inContainer = nodeTarget('n1', { container: { name: 'n1' } });
const inFile = (path: string): Target => ({ ...nodeTarget('n1'), logFiles: [{ path, timezone: 'UTC' }] });
const noDocker = { docker: createDockerLinks(() => {}), secrets: [] };

test('of a container its engine is asked for so many lines, each is redacted, and a line in parts is one', async () => {
  let asked = '';
  const docker = await linkTo((response, url) => {
    asked = url;
    response.write(toFrame('dial http://me:hunter2@10.0.0.1: refused\n'));
    response.write(toFrame('begun and '));
    response.write(toFrame('other\n', 2));
    response.write(toFrame('ended \u00fc\n'));
    response.end(toFrame('cut off'));
  });
  const at = Date.parse('2026-11-22T03:04:09.123Z');
  expect(await readLastLines(inContainer, 3, { docker, secrets: ['off'] })).toEqual({
    ok: true,
    source: 'container',
    lines: ['other', 'begun and ended \u00fc', 'cut [redacted]'].map((text) => ({ text, at })),
  });
  expect(asked).toContain('/containers/c1/logs?stdout=true&stderr=true&timestamps=true&tail=3');
});

test.each([
  ['2026-11-22T03:04:09Z', 0],
  ['2026-11-22T05:04:09+02:00', 0],
  ['2026-11-21T21:34:09.25-05:30', 250],
])('a line that Podman stamps as %s has its time, and no rest of the stamp', async (stamp, ms) => {
  const docker = await linkTo((response) => void response.end(toFrame('Fatal: it broke\n', 2, stamp)));
  expect(await readLastLines(inContainer, 3, { docker, secrets: [] })).toEqual({
    ok: true,
    source: 'container',
    lines: [{ text: 'Fatal: it broke', at: Date.parse('2026-11-22T03:04:09Z') + ms }],
  });
});

test('an engine that sends without an end is read for 8 MiB', async () => {
  const docker = await linkTo((response) => {
    const chunk = Buffer.concat(Array(64).fill(toFrame(`${'x'.repeat(16_000)}\n`)));
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', send).on('error', () => {});
    send();
  });
  const read = await readLastLines(inContainer, 1_000_000, { docker, secrets: [] });
  expect(read).toMatchObject({ ok: true, lines: Array(200).fill({ text: `${'x'.repeat(500)}…` }) });
});

test('an engine that is dead, hangs or sends garbage gives a reason long before its link would give up', async () => {
  const links = {
    'hangs at once': await linkTo(() => {}, false),
    'hangs before the log': await linkTo(() => {}),
    'hangs within the log': await linkTo((response) => void response.write(toFrame('a\n'))),
    'is gone': linkToAddress(await closedAddress()),
    'has no log': await linkTo((response) => void response.writeHead(409).end('{}')),
    'sends garbage': await linkTo((response) => void response.end('x'.repeat(99))),
  };
  const reads = Object.entries(links).map(async ([what, docker]) => {
    const read = await valueWithin(5_000, readLastLines(inContainer, 50, { docker, secrets: [] }), 'late');
    return [what, read === 'late' || read.ok ? read : read.why];
  });
  expect(Object.fromEntries(await Promise.all(reads))).toEqual({
    'hangs at once': 'Docker does not answer',
    'hangs before the log': 'Docker does not answer',
    'hangs within the log': 'Docker does not answer',
    'is gone': 'Docker does not answer',
    'has no log': 'it broke off while it was read',
    'sends garbage': 'it broke off while it was read',
  });
});

test('of files the end of the newest one is read, however large it is', async () => {
  writeFileSync(pathOf('a.log'), 'old\n');
  // Two files of one tick of the file system's clock are equally new.
  utimesSync(pathOf('a.log'), 1, 1);
  writeFileSync(pathOf('b.log'), `${'a line of the past\n'.repeat(100_000)}password=hunter2\r\n`);
  appendFileSync(pathOf('b.log'), 'the last');
  const texts = async (path: string, count: number) => {
    const read = await readLastLines(inFile(path), count, noDocker);
    return read.ok ? read.lines.map(({ text }) => text) : read.why;
  };
  expect(await texts(pathOf('*.log'), 2)).toEqual(['password=[redacted]', 'the last']);
  const many = await texts(pathOf('b.log'), 100_000);
  expect(many).toHaveLength(200);
  expect(many[0]).toBe('a line of the past');
  expect(await texts(pathOf('c.log'), 2)).toBe('its file is missing');
  expect(await texts('/', 2)).toBe('its path is not a file');
  writeFileSync(pathOf('empty.log'), '');
  expect(await texts(pathOf('empty.log'), 2)).toEqual([]);
});

test('a target without a log says so', async () => {
  expect(await readLastLines(nodeTarget('n1'), 50, noDocker)).toEqual({
    ok: false,
    why: 'the inventory names neither its container nor a log file',
  });
});

test('nothing is shown of a line that is longer than what is read of a file: it may begin within a secret', async () => {
  const path = pathOf('long.log');
  const [secret, read] = ['hunter2-hunter2', 256 * 1024];
  const rest = `${secret.slice(8)} ${'x'.repeat(read)}`.slice(0, read);
  writeFileSync(path, `${secret.slice(0, 8)}${rest}`);
  const options = { ...noDocker, secrets: [secret] };
  expect(await readLastLines(inFile(path), 5, options)).toEqual({ ok: true, source: 'file', lines: [] });
  appendFileSync(path, '\nshort\n');
  expect(await readLastLines(inFile(path), 5, options)).toEqual({
    ok: true,
    source: 'file',
    lines: [{ text: 'short' }],
  });
});
