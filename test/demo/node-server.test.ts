import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_REQUEST_BYTES } from '../../src/demo/node-server.ts';
import { type Simulation, startSimulation } from '../../src/demo/start-simulation.ts';
import { post } from './rpc.ts';

let simulation: Simulation;
let url: string;

beforeAll(async () => {
  simulation = await startSimulation({ nodes: 1, faults: [] });
  url = simulation.nodes[0]?.rpc ?? '';
});
afterAll(() => simulation.stop());

const ask = { jsonrpc: '2.0', id: 1, method: 'net_version' };

/** Sends raw text and gives all that comes back until the server ends the connection or `until` has been seen. */
const raw = async (sent: string, until: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(sent);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.includes(until)) break;
  }
  return received;
};

test.each([
  ['application/json', 200],
  ['application/json; charset=utf-8', 200],
  ['application/json-rpc', 200],
  ['application/jsonrequest', 200],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
])('a body of the type %s gets %i', async (type, status) => {
  const answer = await post(url, ask, type);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(
    status === 200 ? '"28656"' : 'invalid content type, only application/json is supported',
  );
});

test('a body without a type gets 415', async () => {
  const answer = await raw('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}', 'supported');
  expect(answer).toMatch(/^HTTP\/1\.1 415 /);
});

test.each(['PUT', 'DELETE'])('%s is not allowed', async (method) => {
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json' } });
  expect(response.status).toBe(405);
  expect(await response.text()).toBe('method not allowed\n');
});

test('a GET without a body proves only that somebody listens', async () => {
  const response = await fetch(`${url}/any/path`);
  expect([response.status, await response.text()]).toEqual([200, '']);
});

test('a GET with a query is no such probe', async () => {
  expect((await fetch(`${url}/?x=1`)).status).toBe(415);
});

test('the path does not matter', async () => {
  expect((await post(`${url}/some/where`, ask)).text).toContain('"28656"');
});

test('a body declared longer than 5 MiB is refused before it is read', async () => {
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MAX_REQUEST_BYTES + 1}\r\n\r\n`;
  const answer = await raw(head, 'too large');
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toContain(`content length too large (${MAX_REQUEST_BYTES + 1}>${MAX_REQUEST_BYTES})`);
});

test('a longer body that does not say so is cut and then is no JSON', async () => {
  const long = JSON.stringify({ ...ask, padding: 'x'.repeat(MAX_REQUEST_BYTES) });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([long]).stream(),
    duplex: 'half',
  });
  expect(await response.json()).toHaveProperty('error.code', -32700);
});

test('one connection serves one request after the other', async () => {
  const body = JSON.stringify(ask);
  const request = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const answers = await raw(request + request.replace('"id":1', '"id":2'), '"id":2');
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

test('errors of calls come with status 200', async () => {
  expect(await post(url, { ...ask, method: 'no_such' })).toMatchObject({ status: 200, type: 'application/json' });
});

test('a page of another origin may read the answer', async () => {
  const response = await fetch(url, { headers: { origin: 'http://example.com' } });
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});
