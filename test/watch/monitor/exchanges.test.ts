import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChainPart } from '../../../src/model/chain.ts';
import type { Observation } from '../../../src/model/prober.ts';
import { DEFAULT_SETTINGS, type RoundName, type Target } from '../../../src/model/target.ts';
import { findExchanges } from '../../../src/watch/clients/find-exchanges.ts';
import { toGethChainCalls } from '../../../src/watch/clients/geth-calls.ts';
import { xdcSubnet } from '../../../src/watch/clients/xdc-subnet.ts';
import { createBoard } from '../../../src/watch/monitor/board.ts';
import { toChainCalls } from '../../../src/watch/probes/chain-question.ts';
import { createHttpAndIpcProber } from '../../../src/watch/probes/http-and-ipc-prober.ts';
import { createNodeProber, type NodeProber } from '../../../src/watch/probes/node-prober.ts';
import { createServiceProber } from '../../../src/watch/probes/service-prober.ts';
import { startBlackHole } from '../../support/black-hole.ts';
import { blockResult, healthy, startHttp, startNode } from '../../support/fake-node.ts';
import { socketFolder, startIpcNode } from '../../support/ipc-node.ts';
import { nodeTarget, serviceTarget } from '../../support/views.ts';

/** What a person reads of the exchanges of a target that has been observed so. */
function exchangesAfter(target: Target, round: RoundName, ...seen: readonly Observation[]) {
  const board = createBoard();
  const subnet = { name: 'd', consensus: 'XDPoS', targets: [target], settings: DEFAULT_SETTINGS };
  board.load({ subnets: [subnet], engines: {}, alertmanager: { urls: [] } }, 0);
  for (const one of seen) board.recordRun(target, round, one, 0.0123, 7_000);
  const [state] = board.snapshot();
  const [found] = state?.targets ?? [];
  if (found === undefined) throw new Error('there is no target');
  return findExchanges(found, 'XDPoS');
}

const ask = async (prober: NodeProber, times = 1): Promise<Observation> => {
  onTestFinished(prober.close);
  for (let left = times; left > 1; left -= 1) await prober.probe(1_000);
  return { kind: 'node', seen: await prober.probe(1_000) };
};

const ok = (asked: string, answered: string) => ({ asked, answered, isFault: false });
const fault = (asked: string, answered: string) => ({ asked, answered, isFault: true });
const LATEST = 'XDPoS_getV2BlockByNumber["latest"]';
const COMMITTED = 'XDPoS_getV2BlockByNumber["committed"]';
const NOT_FOUND = 'JSON-RPC error -32601 (method-not-found)';

describe('what was asked and answered last', () => {
  test('of a node over HTTP are the methods of its probe, with the status and the time', async () => {
    const node = await startNode();
    onTestFinished(node.stop);
    const target = nodeTarget('n1', { rpc: node.url });
    const seen = await ask(
      createNodeProber(node.url, 'XDPoS', () => 1_000),
      2,
    );
    expect(exchangesAfter(target, 'rpc', seen)).toEqual([
      {
        kind: 'node',
        to: `POST ${node.url}`,
        at: 7_000,
        tookMs: 12.3,
        status: 200,
        calls: [
          ok(LATEST, 'block 1234 of 2024-11-21T07:42:00.000Z'),
          ok(COMMITTED, 'block 1231 of 2024-11-21T07:42:00.000Z'),
          ok('admin_peers', '3 peers'),
        ],
      },
    ]);
  });

  test('names each method that the node lacks, and the one that took its place', async () => {
    const { admin_peers: _, ...rest } = healthy;
    const node = await startNode(rest);
    onTestFinished(node.stop);
    const [first] = exchangesAfter(
      nodeTarget('n1', { rpc: node.url }),
      'rpc',
      await ask(createNodeProber(node.url, 'XDPoS', () => 1_000)),
    );
    expect(first?.calls).toEqual([
      ok(LATEST, expect.any(String)),
      ok(COMMITTED, expect.any(String)),
      fault('admin_peers', NOT_FOUND),
      ok('net_peerCount', '3 peers'),
      ok('rpc_modules', 'not kept'),
      ok('web3_clientVersion', 'not kept'),
    ]);
  });

  test.each([
    ['a proxy without its node', 502, '', 'HTTP 502', 502],
    ['a web page', 200, '<html>', 'a web page', 200],
    [
      'a refusal of the node',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"s3cret"}}',
      'JSON-RPC error -32000',
      200,
    ],
  ])('of %s is what came instead', async (_, code, body, answered, status) => {
    const server = await startHttp((_request, response) => response.writeHead(code).end(body));
    onTestFinished(server.stop);
    const [first] = exchangesAfter(
      nodeTarget('n1', { rpc: server.url }),
      'rpc',
      await ask(createNodeProber(server.url, 'XDPoS', () => 1_000)),
    );
    expect(first?.status).toBe(status);
    expect(first?.calls[0]).toEqual(fault(LATEST, answered));
  });

  test('of a node that does not answer has no status, but the time that it was waited for', async () => {
    const server = await startHttp(() => {});
    onTestFinished(server.stop);
    const prober = createNodeProber(server.url, 'XDPoS', () => 1_000);
    onTestFinished(prober.close);
    const [first] = exchangesAfter(nodeTarget('n1', { rpc: server.url }), 'rpc', {
      kind: 'node',
      seen: await prober.probe(50),
    });
    expect(first).not.toHaveProperty('status');
    expect(first?.calls[0]).toEqual(fault(LATEST, expect.stringMatching(/^no answer within \d+ ms$/)));
  });

  test('of a node that takes no connection has the time that it was waited for', async () => {
    const { host, stop } = await startBlackHole();
    onTestFinished(stop);
    const prober = createNodeProber(`http://${host}`, 'XDPoS', () => 1_000);
    onTestFinished(prober.close);
    const seen = await prober.probe(50);
    const [first] = exchangesAfter(nodeTarget('n1', { rpc: `http://${host}` }), 'rpc', { kind: 'node', seen });
    expect(first?.calls[0]).toEqual(fault(LATEST, expect.stringMatching(/^no connection within \d+ ms$/)));
  });

  test('of a node whose socket has the peers is both ways', async () => {
    const { admin_peers: _, ...rest } = healthy;
    const [node, ipc] = [await startNode({ ...rest, rpc_modules: () => ({ net: '1.0' }) }), await startIpcNode()];
    onTestFinished(node.stop);
    const target = nodeTarget('n1', { rpc: node.url, ipc: ipc.path });
    const [http, socket] = exchangesAfter(
      target,
      'rpc',
      await ask(createHttpAndIpcProber(node.url, ipc.path, 'XDPoS', () => 1_000)),
    );
    expect(http?.calls).toContainEqual(ok('net_peerCount', 'not kept'));
    expect(socket).toEqual({
      kind: 'node',
      to: `unix:${ipc.path}`,
      at: 7_000,
      calls: [ok('admin_peers', '3 peers')],
    });
    const missing = `${await socketFolder()}/XDC.ipc`;
    const [alone, none] = exchangesAfter(
      nodeTarget('n1', { rpc: node.url, ipc: missing }),
      'rpc',
      await ask(createHttpAndIpcProber(node.url, missing, 'XDPoS', () => 1_000)),
    );
    expect(alone?.calls).toContainEqual(ok('net_peerCount', '3 peers'));
    expect(none?.calls).toEqual([fault('admin_peers', 'there is no such socket')]);
  });

  test('of a chain are its parts, with the reason for each that is missing', async () => {
    const node = await startNode({
      ...healthy,
      XDPoS_getV2BlockByNumber: ({ params: [which] }) => blockResult(which === '0x4c0' ? 0x4c0 : 1234),
      eth_chainId: () => '0x2a',
      eth_coinbase: () => `0x${'a'.repeat(40)}`,
      eth_syncing: () => false,
    });
    onTestFinished(node.stop);
    const prober = createNodeProber(node.url, 'XDPoS', () => 1_000);
    const chain = exchangesAfter(nodeTarget('n1', { rpc: node.url }), 'rpc', await ask(prober)).find(
      ({ kind }) => kind === 'chain',
    );
    expect(chain).toMatchObject({ to: `POST ${node.url}`, at: 7_000 });
    expect(chain?.calls).toContainEqual(ok('eth_chainId', '42'));
    expect(chain?.calls).toContainEqual(ok('eth_syncing', 'false'));
    expect(chain?.calls).toContainEqual(fault('XDPoS_getV2BlockByNumber["earliest"]', 'malformed'));
    expect(chain?.calls).toContainEqual(fault('XDPoS_networkInformation', 'method-not-found'));
    expect(chain?.calls).toContainEqual(ok('XDPoS_getV2BlockByNumber["0x4c0"]', `0x${'a'.repeat(64)}`));
  });

  test('of a service is its path and whether it is healthy; of a container what Docker says', () => {
    const target = { ...serviceTarget('stats', 'http://me:pw@10.0.0.1:5213/x?y=z'), container: { name: 'stats-1' } };
    const service: Observation = { kind: 'service', seen: { ok: false, fault: { kind: 'status', status: 503 } } };
    expect(exchangesAfter(target, 'services', service)).toEqual([
      {
        ...{ kind: 'service', to: 'GET http://10.0.0.1:5213', at: 7_000, tookMs: 12.3, status: 503 },
        calls: [fault('/information/network', 'HTTP 503')],
      },
    ]);
    const container = {
      ...{
        id: 'a',
        name: 'stats-1',
        running: false,
        status: 'exited',
        exitCode: 137,
        oomKilled: true,
        restartCount: 2,
      },
    };
    expect(
      exchangesAfter(target, 'containers', { kind: 'container', seen: { kind: 'found', container } }),
    ).toMatchObject([
      {
        kind: 'container',
        calls: [ok('inspect stats-1', 'exited, exit code 137, killed for lack of memory, 2 restarts by its policy')],
      },
    ]);
  });

  test('of a page are its errors by kind, each in its number', () => {
    const target = { ...serviceTarget('frontend'), browser: { executablePath: '/usr/bin/chromium' } };
    const told = (consoleErrors: number, exceptions: number, failedRequests: number) =>
      exchangesAfter(target, 'console', {
        kind: 'page',
        seen: { kind: 'visited', consoleErrors, exceptions, failedRequests },
      }).flatMap(({ calls }) => calls.map(({ answered }) => answered));
    expect(told(1, 1, 1)).toEqual(['1 console error, 1 exception, 1 failed request']);
    expect(told(0, 2, 3)).toEqual(['0 console errors, 2 exceptions, 3 failed requests']);
  });

  test('of a container that Docker has started once again is that in the singular', () => {
    const target = { ...serviceTarget('stats'), container: { name: 'stats-1' } };
    const container = { id: 'a', name: 'stats-1', running: true, status: 'running', oomKilled: false, restartCount: 1 };
    const seen = { kind: 'container', seen: { kind: 'found', container } } as Observation;
    expect(exchangesAfter(target, 'containers', seen)).toMatchObject([
      { calls: [ok('inspect stats-1', 'running, 1 restart by its policy')] },
    ]);
  });

  test('is nothing before the first probe', () => {
    expect(exchangesAfter(nodeTarget('n1'), 'rpc')).toEqual([]);
  });
});

const HEIGHTS = { mark: 64, next: 451 };

test('every method that a node is asked for about its chain is the one that an exchange shows', () => {
  const methods = toGethChainCalls('XDPoS', HEIGHTS);
  const calls = toChainCalls(xdcSubnet, 'XDPoS', { ...HEIGHTS, servesMesh: true, isEpochAsked: true });
  expect([...calls.keys()].toSorted()).toEqual((Object.keys(methods) as ChainPart[]).toSorted());
  for (const [part, call] of calls) expect(call).toEqual(methods[part]);
});

test('an exchange holds no secret, whatever the address and the answers hold', async () => {
  const SECRET = 's3cret-canary';
  const leaky = (result: unknown) => () => result;
  const evil = { Hash: SECRET, Number: 5, Timestamp: 1e300, Error: SECRET, [SECRET]: SECRET };
  const node = await startNode(
    Object.fromEntries(
      Object.values(toGethChainCalls('XDPoS', HEIGHTS))
        .map(({ method }) => method)
        .concat('rpc_modules', 'net_peerCount')
        .map((method, index) => [
          method,
          leaky(
            [evil, SECRET, [SECRET], { error: { code: -32000, message: SECRET, data: SECRET } }, { id: SECRET }][
              index % 5
            ],
          ),
        ]),
    ),
    (answers, response) => {
      response.setHeader('x-secret', SECRET).setHeader('content-type', `text/${SECRET}`);
      response.end(JSON.stringify(answers));
    },
  );
  onTestFinished(node.stop);
  const url = `${node.url.replace('//', `//user:${SECRET}@`)}/${SECRET}?token=${SECRET}#${SECRET}`;
  const seen = await ask(createNodeProber(url, 'XDPoS', () => 1_000));
  const page = await startHttp((_request, response) =>
    response.writeHead(200, { 'x-token': SECRET }).end(JSON.stringify({ health: { status: SECRET }, queues: SECRET })),
  );
  onTestFinished(page.stop);
  const address = `${page.url.replace('//', `//user:${SECRET}@`)}/${SECRET}/`;
  const service = createServiceProber('stats', address);
  onTestFinished(service.close);
  const shown = JSON.stringify([
    exchangesAfter(nodeTarget('n1', { rpc: url }), 'rpc', seen),
    exchangesAfter(serviceTarget('stats', address), 'services', { kind: 'service', seen: await service.probe(1_000) }),
  ]);
  expect(shown).toContain(node.url);
  expect(shown).toContain(page.url);
  expect(shown).not.toContain(SECRET);
  expect(shown.length).toBeLessThan(10_000);
});
