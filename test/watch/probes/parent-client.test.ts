import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Subnet } from '../../../src/model/target.ts';
import { createParentClient, type ParentClient } from '../../../src/watch/probes/parent-client.ts';
import { createParentProber } from '../../../src/watch/probes/parent-prober.ts';
// To load it takes longer than the test leaves to the node.
import '../../../src/watch/probes/read-contract.ts';
import {
  answerCall,
  BATCH_REFUSALS,
  type Methods,
  type ReceivedCall,
  refuseBatch,
  startHttp,
} from '../../support/fake-node.ts';
import { settings } from '../../support/views.ts';

const { signal } = new AbortController();
const ADDRESS = `0x${'a'.repeat(40)}`;
const SUBNET: Subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings };
const CALLS = ['eth_chainId', 'eth_blockNumber'].map((method) => ({ method, params: [] }));
const METHODS: Methods = { eth_chainId: () => '0x33', eth_blockNumber: () => '0x10' };
const SEE = 'see what answers at its address, or name another node';
const BOTH = [
  { ok: true, value: '0x33' },
  { ok: true, value: '0x10' },
];

type Asked = ReceivedCall | readonly ReceivedCall[];

/** A node of the parent chain that answers each request as the test says, and what it was asked: a list for a batch. */
async function useNode(respond: (asked: Asked, response: ServerResponse) => unknown) {
  const requests: (string | readonly string[])[] = [];
  const sockets = new Set<unknown>();
  const server = await startHttp((request, response, body) => {
    const asked: Asked = JSON.parse(body);
    requests.push('method' in asked ? asked.method : asked.map(({ method }) => method));
    sockets.add(request.socket);
    expect(request.headers['user-agent']).toBe('subnetd');
    const answer = respond(asked, response);
    if (answer !== undefined) response.end(JSON.stringify(answer));
  });
  onTestFinished(server.stop);
  return { ...server, requests, sockets };
}

const answerAll = (asked: Asked, methods = METHODS): unknown =>
  'method' in asked ? answerCall(methods, asked) : asked.map((call) => answerCall(methods, call));

function useClient(rpc: string): ParentClient {
  const client = createParentClient(rpc, 2_000);
  onTestFinished(client.close);
  return client;
}

describe('a node of the parent chain', () => {
  it('is asked for all in one request, over one connection', async () => {
    const node = await useNode((asked) => answerAll(asked));
    const client = useClient(node.url);
    expect(await client.ask(CALLS)).toEqual(BOTH);
    expect(await client.ask(CALLS)).toEqual(BOTH);
    expect(node.requests).toEqual([
      ['eth_chainId', 'eth_blockNumber'],
      ['eth_chainId', 'eth_blockNumber'],
    ]);
    expect(node.sockets.size).toBe(1);
  });

  it('is asked over a new connection each time where connections are not kept', async () => {
    const node = await useNode((asked) => answerAll(asked));
    const client = createParentClient(node.url, 2_000, () => false);
    await client.ask(CALLS);
    await client.ask(CALLS);
    expect(node.sockets.size).toBe(2);
  });

  it('that closed the connection meanwhile is asked over a new one', async () => {
    const node = await useNode((asked) => answerAll(asked));
    const client = useClient(node.url);
    await client.ask(CALLS);
    node.breakConnections();
    expect(await client.ask(CALLS)).toEqual(BOTH);
  });

  it.each(Object.keys(BATCH_REFUSALS))(
    'that answers a batch with %s is asked for each call by itself from then on',
    async (refusal) => {
      const node = await useNode((asked, response) => {
        if ('method' in asked) return answerAll(asked);
        refuseBatch(
          refusal,
          asked.map(({ id }) => id),
          response,
        );
      });
      const client = useClient(node.url);
      expect(await client.ask(CALLS)).toEqual(BOTH);
      expect(await client.ask(CALLS)).toEqual(BOTH);
      expect(node.requests.map((asked) => typeof asked)).toEqual(['object', 'string', 'string', 'string', 'string']);
    },
  );

  it('that answers all with errors is asked together again, because that may pass', async () => {
    let methods: Methods = {};
    const node = await useNode((asked) => answerAll(asked, methods));
    const client = useClient(node.url);
    const failed = { ok: false, why: 'answers with an error', fix: SEE };
    expect(await client.ask(CALLS)).toEqual([failed, failed]);
    methods = METHODS;
    expect(await client.ask(CALLS)).toEqual(BOTH);
    expect(node.requests.at(-1)).toEqual(['eth_chainId', 'eth_blockNumber']);
  });

  it('whose contract fails in each call is asked once', async () => {
    const fails = () => ({ error: { code: 3, message: 'execution reverted' } });
    const node = await useNode((asked) => answerAll(asked, { eth_chainId: fails, eth_blockNumber: fails }));
    const reverted = { ok: false, why: 'answers with an error', fix: SEE, reverted: 'execution reverted' };
    expect(await useClient(node.url).ask(CALLS)).toEqual([reverted, reverted]);
    expect(node.requests).toHaveLength(1);
  });

  it('that limits subnetd is asked for one call more, as it may limit batches', async () => {
    const node = await useNode((_asked, response) => {
      response.writeHead(429);
      return {};
    });
    const fix =
      'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check';
    const limited = { ok: false, why: 'answers HTTP 429', fix };
    expect(await useClient(node.url).ask(CALLS)).toEqual([limited, limited]);
    expect(node.requests).toEqual([['eth_chainId', 'eth_blockNumber'], 'eth_chainId']);
  });

  it('that takes no batches and then does not answer is asked no more', async () => {
    const node = await useNode((asked, response) => {
      if ('method' in asked) response.destroy();
      else response.writeHead(405).end();
    });
    const lost = { ok: false, why: 'cannot be reached' };
    expect(await useClient(node.url).ask(CALLS)).toEqual([lost, lost]);
    expect(node.requests).toContain('eth_chainId');
    expect(node.requests).not.toContain('eth_blockNumber');
  });

  it.each([
    [{ code: 3, message: 'no words' }, 200],
    [{ code: -32000, message: 'execution reverted' }, 200],
    [{ code: -32015, message: 'VM execution error: EVM error' }, 200],
    [{ code: -32000, message: 'invalid opcode: INVALID' }, 500],
  ])('whose contract fails with %j and HTTP %i says so', async (error, status) => {
    const node = await useNode((asked, response) => {
      response.writeHead(status);
      return answerAll(asked, { eth_chainId: () => ({ error }) });
    });
    expect(await useClient(node.url).ask(CALLS.slice(0, 1))).toMatchObject([{ ok: false, reverted: error.message }]);
  });

  it('that hangs when it runs the contract still gives its newest block and the balance', async () => {
    const node = await useNode((asked) =>
      JSON.stringify(asked).includes('eth_call')
        ? undefined
        : answerAll(asked, {
            ...METHODS,
            eth_getBlockByNumber: () => ({ number: '0x10', timestamp: '0x20' }),
            eth_getBalance: () => '0x5',
          }),
    );
    const prober = createParentProber({ rpc: node.url, contract: ADDRESS, wallet: ADDRESS }, SUBNET, { withinMs: 200 });
    onTestFinished(prober.close);
    expect(await prober.probe(signal)).toEqual({
      head: { ok: true, value: { number: 16, timestamp: 32 } },
      chainId: { ok: true, value: 51 },
      contract: { ok: false, why: 'does not answer in time' },
      balance: { ok: true, value: 5n },
    });
  });

  it('that limits only the calls of the contract says nothing of the contract', async () => {
    const error = { code: -32005, message: 'limit exceeded' };
    const node = await useNode((asked) => answerAll(asked, { eth_call: () => ({ error }), eth_getCode: () => '0x' }));
    const prober = createParentProber({ rpc: node.url, contract: ADDRESS }, SUBNET);
    onTestFinished(prober.close);
    expect((await prober.probe(signal)).contract).toEqual({
      ...{
        ok: false,
        why: 'takes no more requests for now',
        fix: 'let the proxy or the provider in front of it accept more requests from subnetd, or raise the interval of the check',
      },
    });
  });
});
