import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closedAddress } from '../support/pages.ts';
import { runCommand } from '../support/run-command.ts';

/** A daemon that gives this answer, and notes what it is asked. */
async function serve(status: number, body: string) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const forecast = (...all: readonly (boolean | null)[]) =>
  JSON.stringify({ subnets: all.map((makesBlocks, place) => ({ makesBlocks, effects: [`subnet ${place}`, 'more'] })) });

const run = (url: string, ...words: readonly string[]) => runCommand(['whatif', 'stop', ...words, '--url', url]);

test.each([
  ['every subnet makes blocks', 0, forecast(true, true)],
  ['one makes none', 1, forecast(true, false, null)],
  ['nobody knows of one', 2, forecast(true, null)],
])('when %s the exit code is %i, and each effect is a line', async (_, code, body) => {
  const { url, asked } = await serve(200, body);
  const ended = await run(url, 'subnet2,engine:a b', '--subnet', 'devnet');
  expect(ended).toMatchObject({ code, stderr: '' });
  expect(ended.stdout.split('\n').slice(0, 2)).toEqual(['subnet 0', 'more']);
  expect(asked).toEqual(['/what-if?stop=subnet2%2Cengine%3Aa+b&subnet=devnet']);
  expect((await run(url, 'subnet2', '--json')).stdout.trim()).toBe(JSON.stringify(JSON.parse(body), null, 2));
});

test('what there is not, what is no answer, and what does not answer are told, with exit code 2', async () => {
  const missing = await serve(404, 'nothing in the inventory is subnet9\n');
  expect(await run(missing.url, 'subnet9')).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'subnetd whatif: nothing in the inventory is subnet9\n',
  });
  // Ten regions with names as long as they may be.
  const long = `nothing in the inventory is region:a; the regions are ${'r'.repeat(1_020)}`;
  expect((await run((await serve(404, `${long}\n`)).url, 'region:a')).stderr).toBe(`subnetd whatif: ${long}\n`);
  const other = await serve(200, '<html>');
  expect((await run(other.url, 'subnet9')).stderr).toMatch(
    /^subnetd whatif: http:\S+ gave an unexpected answer \(HTTP 200\); start subnetd, or give its address with --url\n$/,
  );
  expect((await run(`http://${await closedAddress()}`, 'subnet9')).code).toBe(2);
  expect(await run('http://127.0.0.1:1', ',')).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'subnetd whatif: name what is stopped, such as subnet2,subnet3\n',
  });
});
