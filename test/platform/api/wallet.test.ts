import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBalance } from '../../../src/watch/probes/parent-client.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

/** Examples of EIP-55. */
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const DIGITS = ADDRESS.slice(2);
const WEI = 1_500_000_000_000_000_001n;

/** A parent chain at the wire: what it was asked, and what it answers next. */
const chain: {
  asked: unknown[];
  headers: unknown[];
  answer: (id: number) => { status: number; body: string } | undefined;
} = {
  asked: [],
  headers: [],
  answer: () => undefined,
};
const result = (id: number, value: unknown) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id, result: value }),
});
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
    id: number;
    method: string;
    params: unknown;
  };
  chain.asked.push([method, params]);
  chain.headers.push(request.headers.authorization);
  const answer = chain.answer(id);
  if (answer === undefined) return void request.socket.destroy();
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
});

describe('a balance on the parent chain', () => {
  const chains: { subnet: string; rpc: string }[] = [];
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    const rpc = `http://monitor:s%40crets@127.0.0.1:${(server.address() as AddressInfo).port}/token-in-path`;
    chains.splice(0, chains.length, { subnet: 'devnet', rpc }, { subnet: 'testnet', rpc });
    chain.asked = [];
    chain.headers = [];
    chain.answer = (id) => result(id, `0x${WEI.toString(16)}`);
  });
  const api = useApi(useDatabases('sqlite'), {}, undefined, { parentChains: { list: () => chains, readBalance } });
  const read = (address: string, query = '') => api.send('GET', `/api/Wallet/${address}${query}`);

  it('is read for both forms of an address, with the user info of the RPC as a header', async () => {
    const forms = [`0x${DIGITS}`, `xdc${DIGITS}`, `0x${DIGITS.toLowerCase()}`, `xdc${DIGITS.toUpperCase()}`];
    for (const form of forms)
      expect((await read(form)).data).toEqual({
        Address: ADDRESS,
        XdcAddress: `xdc${DIGITS}`,
        Subnet: 'devnet',
        Balance: '1.500000000000000001',
        Wei: String(WEI),
      });
    expect(chain.asked).toEqual(forms.map(() => ['eth_getBalance', [ADDRESS, 'latest']]));
    expect(chain.headers[0]).toBe(`Basic ${Buffer.from('monitor:s@crets').toString('base64')}`);
    expect((await read(ADDRESS, '?subnet=testnet')).data.Subnet).toBe('testnet');
  });

  it.each([
    ['a wrong checksum', `0x${DIGITS.replace('A', 'a')}`],
    ['a digit too few', `0x${DIGITS.slice(1)}`],
    ['a digit too many', `xdc${DIGITS}0`],
    ['no prefix', DIGITS],
    ['a letter beyond f', `0x${'g'.repeat(40)}`],
    ['another prefix', `XDC${DIGITS}`],
  ])('has the code 1010 for an address with %s, and asks nobody', async (_what, address) => {
    const errMessage =
      'the address must be 0x or xdc and 40 hexadecimal digits, all in one case or with a valid checksum (EIP-55)';
    expect(await read(address)).toMatchObject({ http: 400, appErrorCode: 1010, errMessage });
    expect(chain.asked).toEqual([]);
  });

  it('has the code 1116 below the amount that is asked for, to the smallest unit', async () => {
    expect((await read(ADDRESS, '?atLeast=1.500000000000000001')).http).toBe(200);
    expect(await read(ADDRESS, '?atLeast=1.500000000000000002')).toMatchObject({
      ...{ http: 400, appErrorCode: 1116 },
      errMessage: 'the balance is 1.500000000000000001, below 1.500000000000000002',
    });
    for (const [atLeast, code] of [
      ['', 1002],
      ['many', 1003],
      ['1e3', 1003],
      ['-1', 1011],
      ['1000000000000001', 1011],
    ])
      expect((await read(ADDRESS, `?atLeast=${atLeast}`)).appErrorCode, String(atLeast)).toBe(code);
  });

  it.each([
    ['breaks the connection', () => undefined, 'cannot be reached'],
    ['answers HTTP 503', () => ({ status: 503, body: 'no' }), 'answers HTTP 503'],
    ['redirects', () => ({ status: 302, body: '' }), 'answers HTTP 302'],
    [
      'answers with an error',
      (id: number) => ({
        status: 200,
        body: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"secret"}}`,
      }),
      'answers with an error',
    ],
    ['answers with no JSON', () => ({ status: 200, body: 'hello' }), 'answers with an error'],
  ])('has the code 1115 when the chain %s, once and without its address', async (_what, answer, why) => {
    chain.answer = answer;
    const refused = await read(ADDRESS);
    expect(refused).toMatchObject({
      ...{ http: 500, appErrorCode: 1115 },
      errMessage: `the parent chain of devnet ${why}; try again later`,
    });
    expect(chain.asked).toHaveLength(1);
    expect(refused.text + api.logged.join('')).not.toMatch(/s@crets|s%40crets|token-in-path/);
  });

  it('is given up when the chain is silent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    expect(await readBalance(`http://127.0.0.1:${port}`, ADDRESS, 20)).toEqual({
      ...{ ok: false, why: 'does not answer in time' },
    });
    silent.closeAllConnections();
    silent.close();
  });

  it('has the code 1004 without a parent chain in the inventory, and for another subnet', async () => {
    expect(await read(ADDRESS, '?subnet=other')).toMatchObject({
      ...{ http: 403, appErrorCode: 1004 },
      errMessage: 'subnet: no subnet of that name has a parent chain; use one of devnet, testnet',
    });
    chains.length = 0;
    expect(await read(ADDRESS)).toMatchObject({
      ...{ http: 403, appErrorCode: 1004 },
      errMessage: 'no parent chain is configured; set parentChain of a subnet in the inventory',
    });
  });
});
