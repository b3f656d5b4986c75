import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ParentObservation } from '../../../src/model/parent-chain.ts';
import type { Subnet } from '../../../src/model/target.ts';
import { createParentClient } from '../../../src/watch/probes/parent-client.ts';
import { createParentProber } from '../../../src/watch/probes/parent-prober.ts';
import { startHttp } from '../../support/fake-node.ts';
import { settings } from '../../support/views.ts';

const { signal } = new AbortController();
const ADDRESS = `0x${'a'.repeat(40)}`;
const SUBNET: Subnet = { name: 'd', consensus: 'XDPoS', targets: [], settings };

async function useParent(answer: (response: ServerResponse, method: string, id: number) => void): Promise<string> {
  const { url, stop } = await startHttp((_request, response, body) => {
    const { id, method } = JSON.parse(body);
    answer(response, method, id);
  });
  onTestFinished(stop);
  return url;
}

/** A parent chain that gives these results; undefined leaves the call without an answer. */
const useResults = (results: Readonly<Record<string, unknown>>) =>
  useParent((response, method, id) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? null }));
  });

/** A young parent chain: ten blocks and twenty seconds lie between its first block and its newest one. */
const PACED: Readonly<Record<string, unknown>> = {
  latest: { number: '0xb', timestamp: '0x6a000000' },
  '0x1': { number: '0x1', timestamp: '0x69ffffec' },
};

/** A parent chain with these blocks, and which of them were asked for. */
async function useBlocks(blocks: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const { url: rpc, stop } = await startHttp((_request, response, body) => {
    const read = ({ id, method, params }: { id: number; method: string; params: readonly string[] }) => {
      const tag = method === 'eth_getBlockByNumber' ? (params[0] ?? '') : '';
      if (tag !== '') asked.push(tag);
      return { jsonrpc: '2.0', id, result: blocks[tag] ?? null };
    };
    const calls = JSON.parse(body);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(read) : read(calls)));
  });
  onTestFinished(stop);
  return { rpc, asked };
}

function read(rpc: string): Promise<ParentObservation> {
  const { probe, close } = createParentProber({ rpc, contract: ADDRESS, wallet: ADDRESS }, SUBNET);
  onTestFinished(close);
  return probe(signal);
}

function ask(rpc: string, withinMs = 100, stop = signal) {
  const client = createParentClient(rpc, withinMs);
  onTestFinished(client.close);
  return client.ask([{ method: 'eth_chainId', params: [] }], stop);
}

describe('a parent chain', () => {
  it('that never answers is given up in time', async () => {
    const rpc = await useParent(() => {});
    expect(await ask(rpc)).toMatchObject([{ ok: false, why: 'does not answer in time' }]);
  }, 3_000);

  it('that never ends its answer is given up in time', async () => {
    const rpc = await useParent((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await ask(rpc)).toMatchObject([{ ok: false, why: 'does not answer in time' }]);
  }, 3_000);

  it('that never answers does not hold up the stop of subnetd', async () => {
    const rpc = await useParent(() => {});
    const stopping = new AbortController();
    const asked = ask(rpc, 60_000, stopping.signal);
    stopping.abort();
    expect(await asked).toMatchObject([{ ok: false }]);
  }, 3_000);

  it('with an answer that is far too long has none', async () => {
    const rpc = await useParent((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":1,"result":"0x${'1'.repeat(3 * 1024 * 1024)}"}`);
    });
    expect(await ask(rpc, 5_000)).toMatchObject([{ ok: false, why: 'answers with an error' }]);
  });

  it.each([
    ['numbers that no chain has', { number: '0xffffffffffffffffff', timestamp: '0x1' }],
    ['a time that no clock has', { number: '0x1', timestamp: '0xffffffffffffffffff' }],
    ['no number', { number: null, timestamp: '0x1' }],
    ['a negative number', { number: -5, timestamp: '0x1' }],
    ['words', { number: 'latest', timestamp: 'now' }],
    ['an object', { number: {}, timestamp: [] }],
  ])('with %s in its newest block has none', async (_, block) => {
    const { head } = await read(await useResults({ eth_getBlockByNumber: { transactions: [], ...block } }));
    expect(head).toMatchObject({ ok: false, why: 'answers with an error' });
  });

  it.each([
    ['the block before ten others is not known', { '0x1': null }],
    ['another block is given for it', { '0x1': { number: '0x2', timestamp: '0x1' } }],
    ['it is younger than the newest one', { '0x1': { number: '0x1', timestamp: '0x70000000' } }],
    ['it is as old', { '0x1': { number: '0x1', timestamp: '0x6a000000' } }],
    ['it is so old that blocks come only on demand', { '0x1': { number: '0x1', timestamp: '0x69fffd9d' } }],
    ['there are no ten before it', { latest: { number: '0xa', timestamp: '0x6a000000' } }],
  ])('has no pace when %s', async (_, blocks) => {
    const { head, ...seen } = await read((await useBlocks({ ...PACED, ...blocks })).rpc);
    expect(head.ok).toBe(true);
    expect(seen).not.toHaveProperty('paceMs');
  });

  it('has the pace of its last hundred blocks, or of those that it has, and is asked for one of them once in minutes', async () => {
    const young = await useBlocks(PACED);
    const { probe, close } = createParentProber({ rpc: young.rpc }, SUBNET);
    onTestFinished(close);
    expect([await probe(signal), await probe(signal)]).toMatchObject([{ paceMs: 2_000 }, { paceMs: 2_000 }]);
    expect(young.asked).toEqual(['latest', '0x1', 'latest']);
    const old = await useBlocks({
      latest: { number: '0x3e8', timestamp: '0x6a000000' },
      '0x384': { number: '0x384', timestamp: '0x69fffb50' },
    });
    expect(await read(old.rpc)).toMatchObject({ paceMs: 12_000 });
  });

  it.each([`0x${'f'.repeat(65)}`, -1, '-1', {}, [], `0x${'f'.repeat(100_000)}`, `9${'0'.repeat(90)}`])(
    'with a balance that no account can have (%#) has none',
    async (balance) => {
      const seen = await read(await useResults({ eth_getBalance: balance }));
      expect(seen.balance).toMatchObject({ ok: false, why: 'answers with an error' });
    },
  );

  it.each(['-0x1', '0x0', '0xffffffffffffffffff', -1, 1.5, {}, 'mainnet'])(
    'with the chain id %j has none',
    async (chainId) => {
      const seen = await read(await useResults({ eth_chainId: chainId }));
      expect(seen.chainId).toMatchObject({ ok: false, why: 'answers with an error' });
    },
  );

  it.each([
    ['nothing', '0x'],
    ['an object', { __proto__: null, constructor: 1 }],
    ['a pointer beyond the end', `0x${'f'.repeat(64)}`],
    ['many zeros', `0x${'0'.repeat(200_000)}`],
  ])('whose contract answers with %s keeps its other facts', async (_, result) => {
    const seen = await read(await useResults({ eth_call: result, eth_getCode: '0x6001', eth_chainId: '0x33' }));
    expect(seen.chainId).toEqual({ ok: true, value: 51 });
    expect(seen.contract?.ok).toBeDefined();
  });
});
