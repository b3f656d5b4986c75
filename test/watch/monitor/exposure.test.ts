import { expect, onTestFinished, test } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { startHttp } from '../../support/fake-node.ts';
import { createUnscheduledMonitor } from '../../support/unscheduled-monitor.ts';
import { nodeTarget, settings } from '../../support/views.ts';

/** A node with the flags of the stock start script, and all that it was asked. */
async function useStockNode() {
  const asked: { readonly method: string; readonly authorization: string | undefined }[] = [];
  const modules = ['XDPoS', 'debug', 'eth', 'miner', 'net', 'personal', 'rpc', 'txpool', 'web3'];
  const results: Readonly<Record<string, unknown>> = {
    rpc_modules: Object.fromEntries(modules.map((name) => [name, '1.0'])),
    web3_clientVersion: 'XDC/v2.0.0',
  };
  const server = await startHttp((request, response, body) => {
    const { authorization } = request.headers;
    const answer = ({ id, method }: { readonly id: number; readonly method: string }) => {
      asked.push({ method, authorization });
      const result = results[method];
      const error = { code: -32601, message: 'the method does not exist' };
      return { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) };
    };
    const message = JSON.parse(body);
    response.setHeader('access-control-allow-origin', '*').setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(message) ? message.map(answer) : answer(message)));
  });
  onTestFinished(server.stop);
  return { url: server.url, asked };
}

test('a stock node is asked nothing that changes it, and what anyone can do is a problem of the subnet', async () => {
  const node = await useStockNode();
  const monitor = createUnscheduledMonitor({ clock: createProcessClock() });
  onTestFinished(monitor.stop);
  const target = nodeTarget('a', { rpc: node.url.replace('//', '//reader:s3cret@') });
  monitor.load({
    subnets: [{ name: 'd', consensus: 'XDPoS', targets: [target], settings }],
    engines: {},
    alertmanager: { urls: [] },
  });
  await monitor.probeSubnetsNow(['setup']);
  expect(new Set(node.asked.map(({ method }) => method))).toEqual(new Set(['rpc_modules', 'web3_clientVersion']));
  const anonymous = node.asked.filter(({ authorization }) => authorization === undefined);
  expect(new Set(anonymous.map(({ method }) => method))).toEqual(new Set(['rpc_modules']));

  await monitor.probeNow(() => true);
  const problems = monitor.snapshot()[0]?.problems ?? [];
  const found = problems.map(({ problem, state }) => `${problem} ${state}`);
  expect(found).toContain('hosts_wildcard suspected');
  expect(found).toContain('origins_wildcard suspected');
  expect(JSON.stringify(problems)).not.toContain('s3cret');
});
