import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { settingsAt } from '../../../src/model/chain.ts';
import { nethermind } from '../../../src/watch/clients/nethermind.ts';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { type FakeNode, healthy, type Methods, startNode } from '../../support/fake-node.ts';
import { ADDRESS, moduleOff, nethermindMethods, startNethermind } from '../../support/nethermind-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

const probe = async (server: FakeNode) => {
  const prober = createNodeProber(server.url, 'XDPoS', Date.now);
  cleanups.push(prober.close, server.stop);
  return prober.probe(5_000);
};
const probeOf = async (height: number, changed?: Methods) => probe(await startNethermind(height, changed));
const methodsOf = ({ requests }: FakeNode) => requests.map((request) => request.map(({ method }) => method));

describe('a node of Nethermind', () => {
  it('is recognised, and asked only for what it serves', async () => {
    const server = await startNethermind(1_298);
    const seen = await probe(server);
    expect(seen).toMatchObject({
      client: { name: 'nethermind', version: 'Nethermind/v1.40.0-unstable+d4ef4fd0/linux-x64/dotnet10.0.1' },
      latest: { ok: true, value: { number: 1_298, timestamp: 1_767_002_596 } },
      committed: { ok: true, value: { number: 1_296 } },
      peers: { ok: true, value: { count: 3, via: 'net_peerCount' } },
    });
    const asked = methodsOf(server);
    expect(asked.slice(0, 2)).toEqual([
      ['XDPoS_getV2BlockByNumber', 'rpc_modules', 'web3_clientVersion'],
      ['eth_getBlockByNumber'],
    ]);
    const later = asked.slice(2).flat();
    expect(later).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^admin_|eth_coinbase|getV2BlockByNumber/)]),
    );
  });

  it('says of its chain what a node of another client says', async () => {
    const { chain } = await probeOf(1_298);
    expect(chain).toMatchObject({
      chainId: 63_473,
      genesis: `0x${'9'.repeat(64)}`,
      address: ADDRESS,
      nodeId: 'ab'.repeat(8),
      peerIds: ['cd', 'ce', 'cf'].map((id) => id.repeat(8)),
      consensus: { epoch: 900, gap: 450, minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667 },
      masternodes: { number: 1_298, round: 1_301, active: expect.arrayContaining([ADDRESS]), penalised: [] },
      missedRounds: { epochBlock: 900, epochRound: 901, rounds: [{ round: 929 }] },
      block: { number: 1_280 },
      syncing: false,
      missing: { pool: 'error' },
    });
  });

  it.each([
    ['null', () => null],
    ['an error', () => ({ error: { code: -39_001, message: 'Unknown block', data: null } })],
  ])('has no committed block when it answers %s', async (_, finalized) => {
    const blocks = nethermindMethods(7).eth_getBlockByNumber;
    const { committed } = await probeOf(7, {
      eth_getBlockByNumber: (call) => (call.params[0] === 'finalized' ? finalized() : blocks?.(call)),
    });
    expect(committed).toEqual({ ok: false, fault: { kind: 'no-committed' } });
  });

  it('whose engine is off still has a height, and says what is off', async () => {
    const off = ['getV2BlockByNumber', 'networkInformation', 'getMasternodesByNumber', 'getLatestPoolStatus'];
    const { latest, committed, chain } = await probeOf(
      40,
      Object.fromEntries(off.map((name) => [`XDPoS_${name}`, () => moduleOff(`XDPoS_${name}`, 'Xdc')])),
    );
    expect([latest, committed]).toMatchObject([
      { ok: true, value: { number: 40 } },
      { ok: true, value: { number: 38 } },
    ]);
    expect(chain?.missing).toMatchObject({ consensus: 'module-off', masternodes: 'module-off', pool: 'module-off' });
  });

  it('is still known to have its engine off when that is not asked for again', async () => {
    const server = await startNode(
      nethermindMethods(40, {
        XDPoS_networkInformation: () => moduleOff('XDPoS_networkInformation', 'Xdc'),
      }),
    );
    let now = Date.now();
    const prober = createNodeProber(server.url, 'XDPoS', () => now);
    cleanups.push(prober.close, server.stop);
    await prober.probe(5_000);
    now += 60_000;
    expect((await prober.probe(5_000)).chain?.missing.consensus).toBe('module-off');
    expect(
      methodsOf(server)
        .flat()
        .filter((method) => method === 'XDPoS_networkInformation'),
    ).toHaveLength(1);
  });

  it('has peers without names when their ids are hashes, not ids', async () => {
    const { chain, peers } = await probeOf(40, { parity_netPeers: () => ({ peers: [{ id: 'cd'.repeat(32) }] }) });
    expect([chain?.peerIds, chain?.missing.peerIds]).toEqual([undefined, 'malformed']);
    expect(peers).toMatchObject({ ok: true, value: { count: 3 } });
  });

  it('is recognised anew where another client ran before', async () => {
    const before = { web3_clientVersion: () => 'XDC/v0.3.2-stable/linux-amd64/go1.23.4' };
    let methods: Methods = before;
    const server = await startNode(
      new Proxy({}, { get: (_, name: string) => methods[name] ?? (methods === before ? undefined : () => null) }),
    );
    const prober = createNodeProber(server.url, 'XDPoS', Date.now);
    cleanups.push(prober.close, server.stop);
    expect((await prober.probe(5_000)).client?.name).toBe('xdc-subnet');
    methods = nethermindMethods(20);
    server.breakConnections();
    expect(await prober.probe(5_000)).toMatchObject({
      client: { name: 'nethermind' },
      latest: { value: { number: 20 } },
    });
  });
});

/** Another form of an answer: each member by its name and value. */
const reform = (value: unknown, one: (name: string, value: unknown) => readonly [string, unknown]): unknown => {
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'object' ? reform(each, one) : each));
  if (typeof value !== 'object' || value === null) return one('', value)[1];
  return Object.fromEntries(Object.entries(value).map(([name, each]) => one(name, reform(each, one))));
};
const toWholeNumber = (value: unknown) =>
  typeof value === 'string' && /^0x[0-9a-f]{1,13}$/.test(value) ? Number(value) : value;
const toPascal = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

describe('an image of Nethermind that writes', () => {
  type Form = Parameters<typeof reform>[1];
  const capitals: Form = (name, value) => [toPascal(name), value];
  const numbers: Form = (name, value) => [name, toWholeNumber(value)];
  /** Changes the members that are empty lists or objects. */
  const empties = (change: (name: string) => Readonly<Record<string, null>>) => (result: unknown) =>
    typeof result === 'object' && result !== null
      ? Object.fromEntries(
          Object.entries(result).flatMap(([name, value]) => {
            const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
            return Object.entries(isEmpty ? change(name) : { [name]: value });
          }),
        )
      : result;

  it.each([
    ['names with a capital letter', (result: unknown) => reform(result, capitals), /^XDPoS_/],
    ['numbers in place of hexadecimal', (result: unknown) => reform(result, numbers), /./],
    ['both', (result: unknown) => reform(reform(result, numbers), capitals), /^XDPoS_/],
    ['null for what is empty', empties((name) => ({ [name]: null })), /^XDPoS_/],
    ['nothing for what is null', empties(() => ({})), /^XDPoS_/],
  ])('%s says the same', async (_, change, affected) => {
    const methods = nethermindMethods(1_298, {
      XDPoS_getLatestPoolStatus: () => ({
        vote: {
          [`1301:0x${'a'.repeat(64)}`]: {
            ...{ currentNumber: 3, currentSigners: [ADDRESS] },
            missingSigners: [`0x${'1'.repeat(40)}`],
          },
        },
        timeout: {},
        syncInfo: {},
      }),
    });
    const other = Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        (call: Parameters<typeof method>[0]) => {
          const result = method(call);
          const isError = typeof result === 'object' && result !== null && 'error' in result;
          return affected.test(name) && !isError ? change(result) : result;
        },
      ]),
    );
    const [usual, seen] = [await probeOf(1_298, methods), await probe(await startNode(other))];
    expect(seen).toEqual(usual);
    expect(usual.chain).toMatchObject({ missing: {}, pool: { voteRounds: 1 } });
  });

  it.each([
    ['an enode key', 'cd'.repeat(64), ['cd'.repeat(8)]],
    ['its hash', 'cd'.repeat(32), undefined],
    ['a key with 0x', `0x${'cd'.repeat(64)}`, undefined],
    ['nothing', undefined, undefined],
  ])('%s as the id of a peer still counts it', async (_, id, ids) => {
    const { chain, peers } = await probeOf(40, { parity_netPeers: () => ({ peers: [{ id }] }) });
    expect(chain?.peerIds).toEqual(ids);
    expect(peers).toMatchObject({ ok: true, value: { count: 3 } });
  });

  it.each([
    [false, false],
    [{ startingBlock: '0x0', currentBlock: '0x64', highestBlock: '0x512' }, true],
    [{ currentBlock: '0x64', highestBlock: '0x512', isSyncing: true, syncMode: 8 }, true],
    [{ currentBlock: '0x512', highestBlock: '0x512', isSyncing: false, syncMode: 1 }, false],
  ])('%o says that it syncs: %s', async (syncing, isSyncing) =>
    expect((await probeOf(40, { eth_syncing: () => syncing })).chain?.syncing).toBe(isSyncing),
  );

  it('its settings as a list has those of each round', async () => {
    const entry = { maxMasternodes: 108, certificateThreshold: 0.667, timeoutSyncThreshold: 3, timeoutPeriod: 10 };
    const v2Configs = [
      { ...entry, switchRound: '0x1388', minePeriod: '0x3' },
      { ...entry, switchRound: 0, minePeriod: 2 },
    ];
    const { chain } = await probeOf(40, {
      XDPoS_networkInformation: () => ({ consensusConfigs: { epoch: 900, gap: '0x1c2', v2Configs } }),
    });
    const periodAt = (round: number) => chain?.consensus && settingsAt(chain.consensus, round).minePeriodMs;
    expect([0, 4_999, 5_000].map(periodAt)).toEqual([2_000, 2_000, 3_000]);
  });

  it.each([true, false])('the flag committed as %s has no more and no less final', async (committed) => {
    const { latest, committed: final } = await probeOf(40, {
      XDPoS_getV2BlockByNumber: () => ({ number: '0x28', round: '0x2b', timestamp: '0x6a9368ff', committed }),
    });
    expect([latest, final]).toMatchObject([{ value: { number: 40 } }, { value: { number: 38 } }]);
  });
});

describe('a pool that a node of Nethermind cannot answer', () => {
  const failing = { error: { code: -32_603, message: 'Internal error', data: null } };
  const ends = (answers: unknown, response: ServerResponse): void => {
    const text = JSON.stringify(answers);
    if (text.includes('CUT')) response.destroy();
    else response.setHeader('Content-Type', 'application/json').end(text);
  };
  const isCut = (answers: unknown, response: ServerResponse): void => {
    const text = JSON.stringify(answers);
    response.setHeader('Content-Type', 'application/json').end(text.includes('CUT') ? text.slice(0, 40) : text);
  };

  it.each([
    ['fails', failing, undefined, 'error'],
    ['ends the connection', 'CUT', ends, 'no-answer'],
    ['is cut', 'CUT', isCut, 'malformed'],
  ] as const)('when it %s, is a missing part, and the rest is read', async (_, pool, respond, reason) => {
    const methods = nethermindMethods(1_298, { XDPoS_getLatestPoolStatus: () => pool });
    const seen = await probe(await startNode(methods, respond));
    expect(seen).toMatchObject({ answered: true, latest: { ok: true, value: { number: 1_298 } } });
    expect(seen.chain).toMatchObject({
      masternodes: { number: 1_298 },
      missedRounds: { epochBlock: 900 },
      block: { number: 1_280 },
      missing: { pool: reason },
    });
  });
});

/** What `GET /health` answers, by its sources: with faults the status is 503. */
const health = (errors: readonly string[], description: string, data: unknown = { IsSyncing: false, Errors: errors }) =>
  JSON.stringify({
    status: errors.length === 0 ? 'Healthy' : 'Unhealthy',
    entries: { 'node-health': { data, description, status: errors.length === 0 ? 'Healthy' : 'Unhealthy', tags: [] } },
  });
const SYNCED = 'The node is now fully synced with a network.';
const LOW = `${SYNCED} Peers: 3. The node is running out of free disk space in '/work/xdcchain' - only 1.23 GB (4.20%) left.`;

describe('the health of a node of Nethermind', () => {
  const asked = async (toGet: Parameters<typeof startNode>[2], probes = 1) => {
    const paths: string[] = [];
    const server = await startNode(nethermindMethods(1_298), undefined, (path, response) => {
      paths.push(path);
      toGet?.(path, response);
    });
    let now = Date.now();
    const prober = createNodeProber(server.url, 'XDPoS', () => now);
    cleanups.push(prober.close, server.stop);
    let seen = await prober.probe(5_000);
    for (let i = 1; i < probes; i += 1) {
      now += 60_000;
      seen = await prober.probe(5_000);
    }
    return { seen, paths };
  };
  const answer = (status: number, text: string) => (_: string, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);

  it('is asked with its chain, each minute, and is good while the chain is halted', async () => {
    const { seen, paths } = await asked(answer(200, health([], `${SYNCED} Peers: 3.`)), 3);
    expect(paths).toEqual(['/health', '/health', '/health']);
    expect(seen.chain?.health).toEqual([]);
  });

  it.each([
    [['LowDiskSpace'], LOW, 'its disk is nearly full, with 1.23 GB (4.20 %) free'],
    [['LowDiskSpace'], 'disk', 'its disk is nearly full'],
    [['NoPeers'], `${SYNCED} Node is not connected to any peers.`, 'it is connected to no peer'],
    [['NotProcessingBlocks'], 'The node stopped processing blocks.', 'it has stopped processing blocks'],
    [['NotProducingBlocks'], 'The node stopped producing blocks.', 'it has stopped making blocks'],
    [['SomethingNew'], 'A fault of another version.', undefined],
  ])('names %o in words of its own', async (errors, description, words) => {
    const { seen } = await asked(answer(503, health(errors, description)));
    expect(seen.chain?.health?.map(({ seen: said }) => said)).toEqual(words === undefined ? [] : [words]);
    expect(seen.answered).toBe(true);
  });

  it('is read by its description where an image lists no errors', () => {
    const read = nethermind.health?.read(health(['x'], LOW, {})) ?? [];
    expect(read.map((fault) => fault.of)).toEqual(['disk']);
  });

  it.each([
    ['is off', answer(404, '')],
    ['is a web page', answer(200, '<html></html>')],
    ['is that of another program', answer(200, '{"status":"UP"}')],
    ['ends the connection', (_: string, response: ServerResponse) => response.destroy()],
  ])('is not a fault when it %s, and its chain is read all the same', async (_, toGet) => {
    const { seen } = await asked(toGet);
    expect(seen).toMatchObject({ answered: true, latest: { ok: true }, chain: { chainId: 63_473 } });
    expect(seen.chain).not.toHaveProperty('health');
  });

  it('that is off is not asked again each minute', async () => {
    expect((await asked(answer(404, ''), 5)).paths).toEqual(['/health']);
  });

  it('is asked of no other client', async () => {
    const paths: string[] = [];
    const other = await startNode(healthy, undefined, (path, response) => {
      paths.push(path);
      response.end();
    });
    await probe(other);
    expect(paths).toEqual([]);
  });
});
