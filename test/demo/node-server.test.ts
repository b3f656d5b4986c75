import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('the path does not matter', async () => {
  expect((await post(`${url}/some/where`, ask)).text).toContain('"28656"');
});

test('one connection serves one request after the other', async () => {
  const body = JSON.stringify(ask);
  const request = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const answers = await raw(request + request.replace('"id":1', '"id":2'), '"id":2');
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

test('errors of calls come with status 200', async () => {
  expect(await post(url, { ...ask, method: 'no_such' })).toMatchObject({ status: 200, type: 'application/json' });
});

test('a host name that is not its own is refused, as a node without wildcards does', async () => {
  const body = JSON.stringify(ask);
  const request = `POST / HTTP/1.1\r\nhost: other.example.com\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  expect(await raw(request, 'invalid host specified')).toMatch(/^HTTP\/1\.1 403 /);
});
