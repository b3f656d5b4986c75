import { describe, expect, it } from 'vitest';
import type { NodeObservation } from '../../../src/model/observation.ts';
import { createHttpTransport } from '../../../src/watch/probes/http-transport.ts';
import { parseAnswer, parseSingle } from '../../../src/watch/probes/json-rpc.ts';
import { createNodeProber, type NodeProber } from '../../../src/watch/probes/node-prober.ts';
import {
  answerCall,
  BATCH_REFUSALS,
  blockResult,
  type FakeServer,
  healthy,
  type Methods,
  type ReceivedCall,
  refuseBatch,
  startHttp,
  startNode,
  startTcp,
} from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

const watch = <T extends FakeServer>(server: T, now: () => number = Date.now): { server: T; probe: NodeProber } => {
  const probe = createNodeProber(server.url, 'XDPoS', now);
  cleanups.push(probe.close, server.stop);
  return { server, probe };
};
const methodsOf = (request: readonly ReceivedCall[] | undefined) =>
  request?.map(({ method, params }) =>
    params[0] === 'committed' ? 'committed' : method.replace(/^XDPoS_.*/, 'latest'),
  );
/** The requests without the question about the chain. */
const checkRequests = ({ requests }: { readonly requests: readonly (readonly ReceivedCall[])[] }) =>
  requests.filter((request) => !request.some(({ params }) => params[0] === 'earliest'));
const faultOf = ({ latest }: NodeObservation) => (latest.ok ? 'none' : latest.fault.kind);

describe('what is asked', () => {
  it('learns the namespaces first, and asks for the committed block only after the latest had a number', async () => {
    const { server, probe } = watch(await startNode());
    const observation = await probe.probe(2000);
    expect(observation).toEqual({
      asked: ['latest', 'committed', 'admin_peers', 'modules', 'version'],
      answered: true,
      latest: { ok: true, value: { number: 1234, timestamp: 1732174920 } },
      committed: { ok: true, value: { number: 1231, timestamp: 1732174920 } },
      peers: { ok: true, value: { count: 3, via: 'admin_peers' } },
      chain: expect.anything(),
    });
    expect(checkRequests(server).map(methodsOf)).toEqual([
      ['latest', 'rpc_modules', 'web3_clientVersion'],
      ['committed', 'admin_peers'],
    ]);
  });

  it('is answered by a server that keeps connections which it was asked to end', async () => {
    const bodyOf = (request: string) => {
      const calls: ReceivedCall | readonly ReceivedCall[] = JSON.parse(request.slice(request.indexOf('\r\n\r\n')));
      return JSON.stringify(
        'method' in calls ? answerCall(healthy, calls) : calls.map((call) => answerCall(healthy, call)),
      );
    };
    const server = await startTcp((socket) =>
      socket.on('data', (request) => {
        const body = bodyOf(String(request));
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      }),
    );
    const probe = createNodeProber(
      createHttpTransport(server.url, () => false),
      'XDPoS',
      Date.now,
    );
    cleanups.push(probe.close, server.stop);
    for (let i = 0; i < 3; i += 1)
      expect(await probe.probe(2000)).toMatchObject({
        latest: { ok: true },
        committed: { ok: true },
        peers: { ok: true },
      });
  });

  it('is one batch per probe afterwards', async () => {
    const { server, probe } = watch(await startNode());
    for (let i = 0; i < 3; i += 1) await probe.probe(2000);
    expect(server.requests.slice(3).map(methodsOf)).toEqual([
      ['latest', 'committed', 'admin_peers'],
      ['latest', 'committed', 'admin_peers'],
    ]);
  });

  it.each([
    ['while nothing was asked', () => new Promise((resolve) => setImmediate(resolve))],
    ['just before the next question', () => new Promise((resolve) => setTimeout(resolve, 5))],
  ])('is as careful as at first after the connection broke %s, for the process may be another', async (_, turn) => {
    let fresh = false;
    const { server, probe } = watch(
      await startNode({
        ...healthy,
        XDPoS_getV2BlockByNumber: ({ params }) =>
          fresh && params[0] === 'latest'
            ? blockResult(null, 'can not find latest committed block from consensus')
            : blockResult(7),
      }),
    );
    await probe.probe(2000);
    await probe.probe(2000);
    server.requests.length = 0;
    fresh = true;
    await turn();
    server.breakConnections();
    const restarted = await probe.probe(2000);
    expect(faultOf(restarted)).toBe('no-committed');
    expect(server.requests.map(methodsOf)).toEqual([['latest', 'rpc_modules', 'web3_clientVersion'], ['admin_peers']]);
    await probe.probe(2000);
    expect(server.requests.flatMap(methodsOf)).not.toContain('committed');
    fresh = false;
    expect((await probe.probe(2000)).committed?.ok).toBe(true);
  });

  it('never holds the committed block in one request with the latest when the node ends each connection', async () => {
    const { server, probe } = watch(
      await startNode(healthy, (answers, response) => {
        response.setHeader('Connection', 'close');
        response.end(JSON.stringify(answers));
      }),
    );
    for (let i = 0; i < 3; i += 1) expect((await probe.probe(2000)).committed?.ok).toBe(true);
    for (const request of server.requests.map(methodsOf))
      expect(request?.includes('latest') && request.includes('committed')).toBe(false);
    expect(server.requests.flatMap(methodsOf).filter((method) => method === 'rpc_modules')).toHaveLength(1);
  });

  it('asks for the namespaces again after an hour', async () => {
    let now = 0;
    const { server, probe } = watch(await startNode(), () => now);
    await probe.probe(2000);
    now = 59 * 60_000;
    await probe.probe(2000);
    now = 61 * 60_000;
    await probe.probe(2000);
    expect(server.requests.flatMap(methodsOf).filter((method) => method === 'rpc_modules')).toHaveLength(2);
    expect(methodsOf(checkRequests(server).at(-1))).toContain('rpc_modules');
  });

  const stock: Methods = { ...healthy, rpc_modules: () => ({ eth: '1.0', net: '1.0', XDPoS: '1.0' }) };
  it('counts by net_peerCount, and never calls admin, where the node does not serve it', async () => {
    const { server, probe } = watch(await startNode(stock));
    await probe.probe(2000);
    expect((await probe.probe(2000)).peers).toEqual({ ok: true, value: { count: 3, via: 'net_peerCount' } });
    expect(server.requests.flatMap(methodsOf)).not.toContain('admin_peers');
  });

  it('takes admin as absent when rpc_modules itself is refused, and asks for it no more', async () => {
    const { rpc_modules: _, admin_peers: __, ...rest } = healthy;
    const { server, probe } = watch(await startNode(rest));
    for (let i = 0; i < 3; i += 1)
      expect((await probe.probe(2000)).peers).toEqual({ ok: true, value: { count: 3, via: 'net_peerCount' } });
    expect(server.requests.flatMap(methodsOf).filter((method) => method === 'rpc_modules')).toHaveLength(1);
  });

  it('counts no peers where neither admin nor net is served', async () => {
    const { probe } = watch(await startNode({ ...healthy, rpc_modules: () => ({ XDPoS: '1.0' }) }));
    expect((await probe.probe(2000)).peers).toBeUndefined();
  });

  it.each(Object.keys(BATCH_REFUSALS))(
    'sends single calls to a node that answers a batch with %s, and remembers it',
    async (refusal) => {
      const { server, probe } = watch(
        await startNode(healthy, (answers, response) => {
          if (!Array.isArray(answers)) response.end(JSON.stringify(answers));
          else
            refuseBatch(
              refusal,
              answers.map(({ id }) => id),
              response,
            );
        }),
      );
      for (let i = 0; i < 3; i += 1)
        expect(await probe.probe(2000)).toMatchObject({
          latest: { ok: true, value: { number: 1234 } },
          committed: { ok: true, value: { number: 1231 } },
          peers: { ok: true, value: { count: 3, via: 'admin_peers' } },
        });
      expect(server.requests.filter(({ length }) => length > 1)).toHaveLength(1);
      expect(server.requests.filter((one) => methodsOf(one)?.includes('rpc_modules'))).toHaveLength(2);
    },
  );

  it('tries a batch again after an hour, because what refused it may have changed', async () => {
    let now = 0;
    let refuses = true;
    const { server, probe } = watch(
      await startNode(healthy, (answers, response) => {
        if (refuses && Array.isArray(answers)) response.statusCode = 413;
        response.end(JSON.stringify(answers));
      }),
      () => now,
    );
    await probe.probe(2000);
    refuses = false;
    now = 59 * 60_000;
    await probe.probe(2000);
    expect(server.requests.at(-1)).toHaveLength(1);
    now = 61 * 60_000;
    await probe.probe(2000);
    now += 5_000;
    await probe.probe(2000);
    expect(methodsOf(server.requests.at(-1))).toEqual(['latest', 'committed', 'admin_peers']);
  });

  it('asks a server that refuses everything for one call more, and no further one', async () => {
    const { server, probe } = watch(
      await startNode(healthy, (_answers, response) => response.writeHead(403).end('no')),
    );
    for (let i = 0; i < 2; i += 1)
      expect((await probe.probe(2000)).latest).toEqual({ ok: false, fault: { kind: 'status', status: 403 } });
    expect(server.requests.map(({ length }) => length)).toEqual([3, 1, 3, 1]);
  });

  it.each([0, 1, 50])('is answered by a server that ends each connection without a word after %i ms', async (ms) => {
    const { probe } = watch(
      await startNode(healthy, (answers, response) => {
        response.end(JSON.stringify(answers));
        setTimeout(() => response.socket?.destroy(), ms);
      }),
    );
    for (let i = 0; i < 4; i += 1) {
      const { latest, committed, peers, chain } = await probe.probe(2000);
      expect([latest.ok, committed?.ok, peers?.ok]).toEqual([true, true, true]);
      expect(Object.values(chain?.missing ?? {})).not.toContain('no-answer');
    }
  });

  it('is answered by a server that takes one request on each connection, and resets it at the next', async () => {
    const served = new WeakSet<object>();
    const server = await startHttp((request, response, body) => {
      if (served.has(request.socket)) return request.socket.resetAndDestroy();
      served.add(request.socket);
      const calls: ReceivedCall | readonly ReceivedCall[] = JSON.parse(body);
      response.end(
        JSON.stringify('method' in calls ? answerCall(healthy, calls) : calls.map((call) => answerCall(healthy, call))),
      );
    });
    const { probe } = watch(server);
    for (let i = 0; i < 3; i += 1)
      expect(await probe.probe(2000)).toMatchObject({
        ...{ latest: { ok: true }, committed: { ok: true }, peers: { ok: true, value: { via: 'admin_peers' } } },
      });
  });

  it.each([
    ['the type of a web page', 'text/html; charset=utf-8', ''],
    ['no type', '', ''],
    ['a byte order mark', 'application/json', '\ufeff'],
    ['white space before it', 'application/json', '\r\n  '],
  ])('reads JSON with %s', async (_what, type, before) => {
    const { probe } = watch(
      await startNode(healthy, (answers, response) => {
        if (type !== '') response.setHeader('Content-Type', type);
        response.end(before + JSON.stringify(answers));
      }),
    );
    expect(await probe.probe(2000)).toMatchObject({ latest: { ok: true }, peers: { ok: true } });
  });

  it.each([
    { code: -32005, message: 'daily request count exceeded, request rate limited' },
    { code: '-32005', message: 'daily request count exceeded, request rate limited' },
    { code: -32016, message: 'over rate limit' },
    { code: -32029, message: 'Too Many Requests' },
    { code: -32007, message: '15/second request limit reached - reduce calls per second' },
    { code: 429, message: 'Too Many Requests' },
  ])('takes %j for a limit, and asks for the namespaces again when that is over', async (error) => {
    let limits = true;
    const { probe } = watch(
      await startNode(healthy, (answers, response) => {
        const limited = [answers].flat().map((one) => ({ ...(one as object), result: undefined, error }));
        const all = limits ? limited : answers;
        response.end(JSON.stringify(Array.isArray(answers) || !limits ? all : limited[0]));
      }),
    );
    const fault = { kind: 'rpc-error', code: Number(error.code), known: 'rate-limit' };
    expect(await probe.probe(2000)).toMatchObject({ answered: true, latest: { ok: false, fault } });
    limits = false;
    expect((await probe.probe(2000)).peers).toEqual({ ok: true, value: { count: 3, via: 'admin_peers' } });
  });

  it('does not say of a node that limits its later calls that it serves no peers', async () => {
    const error = { code: -32005, message: 'limit exceeded' };
    const { probe } = watch(await startNode({ ...healthy, rpc_modules: () => ({ error }) }));
    expect(await probe.probe(2000)).toMatchObject({
      latest: { ok: true },
      peers: { ok: false, fault: { kind: 'rpc-error', code: -32005, known: 'rate-limit' } },
    });
  });

  it.each([
    ['an error of a call', { error: { code: -32000, message: 'not supported in the v1 consensus' } }],
    ['an error in the block', blockResult(null, 'can not find latest committed block from consensus')],
    ['another error in the block', { Hash: `0x${'a'.repeat(64)}`, Number: null, Error: 'rlp: too few elements' }],
  ])('reads the header of XDPoSChain before the switch of its consensus, which shows as %s', async (_what, said) => {
    const methods = (version: string): Methods => ({
      ...healthy,
      web3_clientVersion: () => version,
      XDPoS_getV2BlockByNumber: () => said,
      eth_getBlockByNumber: () => ({ number: '0x4d2', timestamp: '0x673eeb28', hash: `0x${'a'.repeat(64)}` }),
    });
    const { server, probe } = watch(await startNode(methods('XDC/v2.7.0-beta1/linux-amd64/go1.23.1')));
    for (let i = 0; i < 2; i += 1) {
      const { latest, committed, peers } = await probe.probe(2000);
      expect(latest).toEqual({ ok: true, value: { number: 1234, timestamp: 0x673eeb28 } });
      expect([committed, peers?.ok]).toEqual([undefined, true]);
    }
    expect(server.requests.flatMap(methodsOf)).not.toContain('committed');
    const { probe: other } = watch(await startNode(methods('XDC/v0.2.0-stable/linux-amd64/go1.14')));
    expect((await other.probe(2000)).latest.ok).toBe(false);
  });

  it('sends user info as basic authentication', async () => {
    let authorization: string | undefined;
    const server = await startHttp((request, response) => {
      authorization = request.headers.authorization;
      response.end('{}');
    });
    const probe = createNodeProber(server.url.replace('//', '//me:p%40ss@'), 'XDPoS', Date.now);
    cleanups.push(probe.close, server.stop);
    await probe.probe(2000);
    expect(authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });
});

describe('a bad answer', () => {
  const answering = async (text: string, headers: Readonly<Record<string, string>> = {}, status = 200) => {
    const { probe } = watch(await startHttp((_request, response) => response.writeHead(status, headers).end(text)));
    return probe.probe(2000);
  };

  it.each([
    ['HTML with 200', '<html>hello</html>', 'not-json'],
    ['truncated JSON', '[{"jsonrpc":"2.0","id":1,"resu', 'not-json'],
    ['nothing', '', 'not-json'],
    ['plain text', 'hello', 'not-json'],
    ['a number', '7', 'envelope'],
    ['an empty list', '[]', 'envelope'],
    ['wrong ids', '[{"jsonrpc":"2.0","id":8,"result":{"Number":1}},{"jsonrpc":"2.0","id":9,"result":{}}]', 'envelope'],
    ['ids as text', '[{"jsonrpc":"2.0","id":"1","result":{"Number":1}}]', 'envelope'],
    [
      'one id twice',
      '[{"jsonrpc":"2.0","id":1,"result":{"Number":1}},{"jsonrpc":"2.0","id":1,"result":{"Number":2}}]',
      'envelope',
    ],
    ['neither result nor error', '[{"jsonrpc":"2.0","id":1}]', 'envelope'],
    ['another protocol', '[{"jsonrpc":"1.0","id":1,"result":{"Number":1}}]', 'envelope'],
    ['an error without a code', '[{"jsonrpc":"2.0","id":1,"error":"no"}]', 'envelope'],
    ['an error', '[{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"method handler crashed"}}]', 'rpc-error'],
  ])('%s is a fault of its own', async (_what, text, kind) => {
    expect(faultOf(await answering(text))).toBe(kind);
  });

  it.each([
    [301, 'redirect'],
    [415, 'status'],
    [403, 'status'],
    [503, 'status'],
  ])('HTTP %i is a fault of its own, and no redirect is followed', async (status, kind) => {
    const observation = await answering('{"error":"http server timeout"}', { Location: 'http://127.0.0.1:1/' }, status);
    expect(observation.latest).toEqual({ ok: false, fault: { kind, status } });
    expect(observation.answered).toBe(false);
  });

  it('an unrequested compressed one is a fault', async () => {
    expect(faultOf(await answering('[]', { 'Content-Encoding': 'gzip' }))).toBe('encoding');
  });

  it.each([
    ['a text', '1234'],
    ['null', null],
    ['negative', -2],
    ['beyond 2^53', 2 ** 53],
    ['a fraction', 1.5],
    ['missing', undefined],
    ['a list', [1]],
  ])('a block number that is %s is not a number', async (_what, number) => {
    const { probe } = watch(await startNode({ ...healthy, XDPoS_getV2BlockByNumber: () => blockResult(number) }));
    const observation = await probe.probe(2000);
    expect(observation.answered).toBe(true);
    expect(faultOf(observation)).toBe('result');
    expect(observation.committed).toBeUndefined();
  });

  it('an error text inside a successful result is a fault, even with a number beside it', async () => {
    const { probe } = watch(
      await startNode({
        ...healthy,
        XDPoS_getV2BlockByNumber: () => blockResult(5, 'can not find block from this number'),
      }),
    );
    expect(faultOf(await probe.probe(2000))).toBe('result-error');
  });

  it.each([
    ['no list', { a: 1 }],
    ['a list of texts', ['a']],
    ['null', null],
  ])('peers that are %s are a fault, the block beside them is not', async (_what, peers) => {
    const { probe } = watch(await startNode({ ...healthy, admin_peers: () => peers }));
    const observation = await probe.probe(2000);
    expect(observation.peers).toMatchObject({ ok: false, fault: { kind: 'result' } });
    expect(observation.latest.ok).toBe(true);
  });

  it('peers are counted whatever one of them calls itself, and whatever else the node says of it', async () => {
    const ids = ['a', 'b', 'c'].map((digit) => digit.repeat(128));
    for (const name of ['XDC/v2', '}]}', '}]},{"id":"', '},{"id":"', '"result":[{"id":"', '\\', '"'])
      for (const [first, ...others] of [ids, ['short', ...ids]]) {
        const peers = [first, ...others].map((id) => ({ id, name, caps: [name], network: { static: false } }));
        const { probe } = watch(await startNode({ ...healthy, admin_peers: () => peers }));
        const seen = await probe.probe(2000);
        expect(seen.peers).toEqual({ ok: true, value: { count: peers.length, via: 'admin_peers' } });
      }
  });

  it('peers whose ids are cut off are no peers, but no JSON', async () => {
    const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, result: [{ id: 'a'.repeat(128), name: 'XDC' }] });
    const cut = (from: number, to: number) => `${whole.slice(0, from)}${whole.slice(to)}`;
    const id = whole.indexOf('"aaa') + 1;
    for (const body of [
      cut(id + 128, id + 129),
      `${whole.slice(0, id)}ab},{"id":"${whole.slice(id)}`,
      `${whole.slice(0, id)}}]}`,
    ])
      expect(parseSingle({ status: 200, contentType: 'application/json', body: Buffer.from(body) })).toEqual({
        ok: false,
        fault: { kind: 'not-json', looksLike: 'cut' },
      });
  });

  it('a block is read beside peers, whatever its RLP is', () => {
    for (const rlp of ['Q'.repeat(700), '', 'Q"Q', 'Q","Number":1,"a":"', 'Q\\']) {
      const block = { Hash: '0xab', EncodedRLP: rlp, Number: 7, Error: '' };
      const calls = [block, block, [{ id: 'a'.repeat(128), name: 'XDC' }]].map((result, index) => ({
        ...{ jsonrpc: '2.0', id: index + 1, result },
      }));
      const body = Buffer.from(JSON.stringify(calls));
      const read = parseAnswer({ status: 200, contentType: 'application/json', body }, 3);
      const { EncodedRLP: _, ...rest } = block;
      expect(read.slice(0, 2)).toEqual([1, 2].map(() => ({ ok: true, value: expect.objectContaining(rest) })));
      expect(read[2]).toMatchObject({ ok: true, value: [{ id: expect.stringMatching(/^a{16,}$/) }] });
    }
  });

  it('a batch out of order is read by its ids', async () => {
    const { probe } = watch(
      await startNode(healthy, (answers, response) =>
        response.end(JSON.stringify(Array.isArray(answers) ? answers.toReversed() : answers)),
      ),
    );
    await probe.probe(2000);
    const observation = await probe.probe(2000);
    expect(observation).toMatchObject({
      latest: { value: { number: 1234 } },
      committed: { value: { number: 1231 } },
      peers: { value: { count: 3 } },
    });
  });
});

describe('a bad connection', () => {
  const against = async (onConnection: Parameters<typeof startTcp>[0], timeoutMs = 20_000) => {
    const { probe } = watch(await startTcp(onConnection));
    const { latest } = await probe.probe(timeoutMs);
    return latest.ok ? undefined : latest.fault;
  };

  it('that is accepted and never answered ends with the time limit', async () => {
    expect(await against(() => {}, 300)).toMatchObject({ kind: 'timeout', received: false });
  });

  it('that is asked after its time, as after a pause of the process, is a timeout and no warning of Node.js', async () => {
    const server = await startTcp(() => {});
    const peer = createHttpTransport(server.url);
    cleanups.push(peer.close, server.stop);
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on('warning', note);
    cleanups.push(() => process.off('warning', note));
    const exchange = await peer.exchange({ method: 'GET' }, ({ body }) => body.toString(), performance.now() - 1_000);
    expect(exchange).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
    await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });

  it('that answers byte by byte ends with the time limit', async () => {
    const fault = await against((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n');
      const timer = setInterval(() => socket.write('['), 20);
      socket.on('close', () => clearInterval(timer));
    }, 1_000);
    // The whole answer would take half an hour.
    expect(fault).toMatchObject({ kind: 'timeout', received: true });
  });

  it('that answers a gigabyte is cut off at the size limit', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const fault = await against((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 ** 3}\r\n\r\n`);
      const flood = () => {
        while (!socket.destroyed && sent < 1024) {
          sent += 1;
          if (!socket.write(megabyte)) return socket.once('drain', flood);
        }
      };
      flood();
    });
    expect(fault).toEqual({ kind: 'too-large', maxBytes: 1024 * 1024 });
    expect(sent).toBeLessThan(64);
  });

  it.each([
    ['closes in the middle of an answer', 'closed', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{'],
    ['speaks something else', 'not-http', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['gives two lengths', 'not-http', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef'],
    ['switches protocols', 'not-http', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ])('that %s is a fault of its own', async (_what, kind, text) => {
    expect(await against((socket) => socket.once('data', () => socket.end(text)))).toMatchObject({ kind });
  });

  it('is refused without a listener, and the node answers when it comes up', async () => {
    const { server, probe } = watch(await startNode());
    const { port } = new URL(server.url);
    const nobody = createNodeProber('http://127.0.0.1:1', 'XDPoS', Date.now);
    cleanups.push(nobody.close);
    expect(faultOf(await nobody.probe(1000))).toBe('refused');
    expect((await probe.probe(1000)).latest.ok, port).toBe(true);
  });

  it('to a name that does not resolve says so', async () => {
    const probe = createNodeProber('http://no-such-host.invalid:8545', 'XDPoS', Date.now);
    cleanups.push(probe.close);
    expect(faultOf(await probe.probe(5000))).toBe('unresolved');
  });

  it('with TLS where none is spoken says so', async () => {
    const { server } = watch(await startNode());
    const probe = createNodeProber(server.url.replace('http:', 'https:'), 'XDPoS', Date.now);
    cleanups.push(probe.close);
    expect(faultOf(await probe.probe(2000))).toBe('tls');
  });

  it('that answers late and then hangs is told with the whole time, not with what was left for the last request', async () => {
    let isFirst = true;
    const { probe } = watch(
      await startNode(healthy, (answers, response) => {
        if (isFirst) setTimeout(() => response.end(JSON.stringify(answers)), 300);
        isFirst = false;
      }),
    );
    const { latest, peers } = await probe.probe(600);
    expect(latest.ok).toBe(true);
    const fault = peers?.ok === false ? peers.fault : undefined;
    expect(fault).toMatchObject({ kind: 'timeout', received: false });
    expect(fault?.kind === 'timeout' && fault.afterMs).toBeGreaterThanOrEqual(590);
  });

  it('that hung once does not spoil the next probe', async () => {
    let hang = true;
    const { probe } = watch(
      await startNode(healthy, (answers, response) => {
        if (!hang) response.end(JSON.stringify(answers));
      }),
    );
    expect(faultOf(await probe.probe(200))).toBe('timeout');
    hang = false;
    expect((await probe.probe(2000)).latest.ok).toBe(true);
  });
});
