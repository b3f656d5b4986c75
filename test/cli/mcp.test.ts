import { spawnSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, NO_BROWSER, program, type Running, startCli } from '../support/cli.ts';
import { closedAddress } from '../support/pages.ts';
import { runCommand } from '../support/run-command.ts';

let demo: Running;
let url: string;

beforeAll(async () => {
  demo = startCli(['demo', '--fault', 'node-down', '--listen', '127.0.0.1:0'], NO_BROWSER);
  [, url = ''] = await demo.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/);
}, 60_000);

afterAll(async () => {
  demo.child.kill('SIGTERM');
  await demo.finished;
});

/** A client of the official library, connected to `subnetd mcp` as an assistant starts it. */
async function connect(url: string, mode: 'legacy' | 'auto') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--url', url], stderr: 'inherit' }));
  const call = async (name: string, given: Readonly<Record<string, string>> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given });
    const [said] = content;
    return { text: said?.type === 'text' ? said.text : '', isError };
  };
  return { client, call };
}

describe.each(['legacy', 'auto'] as const)('a client whose negotiation is %s', (mode) => {
  test('is told what is wrong, why, and what to do, by tools that only read', async () => {
    const { client, call } = await connect(url, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'status',
      'problems',
      'doctor',
      'incident',
      'explain',
      'safe_to_restart',
    ]);
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);

    await eventually(async () =>
      expect((await call('status')).text).toContain('! demo is running, but no further node may fail'),
    );
    expect(JSON.parse((await call('problems', { subnet: 'demo' })).text)).toContainEqual(
      expect.objectContaining({ problem: 'container_down', summary: 'the container of subnet2 does not run' }),
    );
    expect((await call('doctor')).text).toBe('[]');
    // Where it went down before it said its address, its votes must be missed first.
    await eventually(async () => {
      const { text } = await call('safe_to_restart', { node: 'subnet1' });
      expect(text).toBe(
        'no: only 2 other masternodes can be counted on, 3 needed: the container of subnet2 does not run',
      );
    }, 150_000);
    expect((await call('explain', { name: 'container_down' })).text).toContain('SubnetContainerDown');
    const started = /urn:subnetd:incident:([\w-]+):start<\/id><title>demo: no further node may fail/;
    const id = await eventually(async () => {
      const { text } = await call('incident');
      expect(text).toMatch(started);
      return started.exec(text)?.[1] ?? '';
    });
    expect((await call('incident', { id })).text).toContain('# demo: no further node may fail');
    await client.close();
  }, 240_000);
});

test('what cannot be answered says why', async () => {
  const { client, call } = await connect(url, 'auto');
  expect(await call('problems', { subnet: 'other' })).toEqual({
    text: 'there is no subnet "other"; there is demo',
    isError: true,
  });
  expect(await call('explain', { name: 'container_dwn' })).toEqual({
    text: 'there is no alert or problem "container_dwn"; did you mean container_down?',
    isError: true,
  });
  expect(await call('safe_to_restart', { node: 'other' })).toEqual({
    text: 'demo has no such node; it has subnet1, subnet2, subnet3, subnet4',
    isError: true,
  });
  expect(await call('incident', { id: '1' })).toEqual({
    text: 'there is no incident "1"; without an id, this lists the latest ones',
    isError: true,
  });
  await client.close();

  const closed = await closedAddress();
  const nobody = await connect(closed, 'auto');
  expect(await nobody.call('status')).toEqual({
    text: `${closed}/status.json cannot be read (ECONNREFUSED); start subnetd, or give its address with --url`,
    isError: true,
  });
  await nobody.client.close();
}, 90_000);

test('input that is at its end, as of a file, ends it without a word', () => {
  const { status, stdout, stderr } = spawnSync(program, ['mcp', '--url', url], { stdio: ['ignore', 'pipe', 'pipe'] });
  expect({ status, stdout: `${stdout}`, stderr: `${stderr}` }).toEqual({ status: 0, stdout: '', stderr: '' });
}, 90_000);

test('an address that is none is refused before anything is served', async () => {
  expect(await runCommand(['mcp', '--url', 'ftp://x'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'subnetd mcp: --url must be the address of subnetd, such as http://127.0.0.1:10545\n',
  });
});
