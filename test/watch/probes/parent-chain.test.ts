import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ParentFacts } from '../../../src/model/parent-chain.ts';
import type { Subnet } from '../../../src/model/target.ts';
import { findParentProblems } from '../../../src/watch/diagnosis/find-parent-problems.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { createParentProber, type ParentProber } from '../../../src/watch/probes/parent-prober.ts';
import { foldParent } from '../../../src/watch/rules/fold-subnet.ts';
import { type Anvil, CHECKPOINT_CODE, hashOf, startAnvil } from '../../support/anvil.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const WALLET = '0x00000000000000000000000000000000000000aa';
const signal = new AbortController().signal;

/** How often all nodes of the tests were asked for the committed block of the contract. */
let asked = 0;

/** A node of the subnet that knows blocks up to a height; those of another chain have another hash. */
async function useNode(height: number, toHash = hashOf, block = {}) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    expect(method).toBe('XDPoS_getV2BlockByNumber');
    const number = Number(params[0]);
    if (number === 97) asked += 1;
    const result =
      number <= height
        ? { ...block, Hash: toHash(number), Number: number, Timestamp: 1_795_303_950, Error: '' }
        : { Hash: hashOf(0), Number: number, Timestamp: null, Error: 'can not find block from this number' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const subnetOf = (...rpcs: readonly string[]): Subnet => ({
  name: 'd',
  consensus: 'XDPoS',
  targets: rpcs.map((rpc, index) => nodeTarget(`n${index + 1}`, { rpc })),
  settings,
});

it('the code of the contract of the tests is what its source compiles to', () => {
  const compiler: { compile(input: string): string } = createRequire(
    new URL('../../support/parent-node/package.json', import.meta.url),
  )('solc');
  const content = readFileSync(new URL('../../support/parent-node/checkpoint.sol', import.meta.url), 'utf8');
  const input = {
    language: 'Solidity',
    sources: { 'checkpoint.sol': { content } },
    settings: {
      evmVersion: 'istanbul',
      optimizer: { enabled: true, runs: 1 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  };
  const { contracts } = JSON.parse(compiler.compile(JSON.stringify(input)));
  expect(contracts['checkpoint.sol'].Checkpoint.evm.bytecode.object).toBe(CHECKPOINT_CODE);
});

describe('a real parent chain', () => {
  let chain: Anvil;
  let contract: `0x${string}`;
  let calm: unknown;
  beforeAll(async () => {
    chain = await startAnvil();
    contract = await chain.deploy('full');
    await chain.submit(contract, 100);
    await chain.call('anvil_setBalance', WALLET, '0x1bc16d674ec80000');
  });
  afterAll(() => chain.remove());
  beforeEach(async () => {
    if (calm !== undefined) await chain.call('evm_revert', calm);
    calm = await chain.call('evm_snapshot');
  });

  const start = (subnet = subnetOf()) => {
    const prober = createParentProber({ rpc: chain.url, contract: `xdc${contract.slice(2)}`, wallet: WALLET }, subnet);
    onTestFinished(prober.close);
    return prober;
  };
  const read = (subnet?: Subnet) => start(subnet).probe(signal);
  let now = 1e12;
  const probers = new WeakMap<ParentFacts, ParentProber>();
  /** Reads once more, half a minute of watched time later. */
  const readAgain = async (before?: ParentFacts, wallMs = Date.now()) => {
    now += 30_000;
    const prober = (before && probers.get(before)) ?? start();
    const facts = foldParent(before, await prober.probe(signal), { at: now, wallMs });
    probers.set(facts, prober);
    return facts;
  };
  const problemsOf = (parent: ParentFacts) =>
    findParentProblems(viewSubnet(subnetOf(), [], now, { parent })).map(({ problem }) => problem);

  it('gives its newest block, chain id, the contract and the balance of a wallet in one reading', async () => {
    expect(await read()).toEqual({
      head: { ok: true, value: { number: 2, timestamp: expect.any(Number) } },
      chainId: { ok: true, value: 551 },
      contract: {
        ok: true,
        value: {
          kind: 'checkpoint',
          checkpoint: {
            mode: 'full',
            latest: { hash: hashOf(100), number: 100 },
            committed: { hash: hashOf(97), number: 97 },
          },
        },
      },
      balance: { ok: true, value: 2_000_000_000_000_000_000n },
    });
  });

  it('has a wallet that runs out of coins', async () => {
    await chain.call('anvil_setBalance', WALLET, '0x0');
    expect((await read()).balance).toEqual({ ok: true, value: 0n });
  });

  const found = async (...rpcs: readonly string[]) => {
    const { contract: reading } = await read(subnetOf(...rpcs));
    return reading?.ok && reading.value.kind === 'checkpoint' ? reading.value.checkpoint.onSubnet : undefined;
  };

  it('has a contract whose block the nodes of the subnet know, do not know, or know as another one', async () => {
    const [late, well] = [await useNode(50), await useNode(120)];
    const other = await useNode(120, (number) => hashOf(number + 1_000));
    expect(await found(late, well)).toEqual({ found: 'same', timestamp: 1_795_303_950 });
    expect(await found(other, well)).toMatchObject({ found: 'same' });
    asked = 0;
    expect(await found(well, other, late)).toMatchObject({ found: 'same' });
    expect(asked).toBe(1);
    expect(await found(late, other)).toMatchObject({ found: 'other' });
    expect(await found(late)).toEqual({ found: 'absent' });
    expect(await found('http://127.0.0.1:9')).toBeUndefined();
  });

  it('that has taken no block of the subnet yet asks no node for one', async () => {
    const used = contract;
    onTestFinished(() => {
      contract = used;
    });
    contract = await chain.deploy('lite');
    expect(await found(await useNode(120, (number) => hashOf(number + 1)))).toBeUndefined();
    expect((await read()).contract).toMatchObject({
      value: { checkpoint: { mode: 'lite', committed: { number: 0 } } },
    });
  });

  it('has a contract that refuses the next block with its words, or takes it', async () => {
    const subnet = subnetOf(await useNode(120, hashOf, { Committed: true, EncodedRLP: 'wAA=' }));
    const prober = start(subnet);
    let parent: ParentFacts | undefined;
    const askAgain = async () => {
      now += 60_000;
      parent = foldParent(parent, await prober.probe(signal), { at: now, wallMs: Date.now() });
      return [parent.progress?.checkpoint.next, problemsOf(parent)];
    };
    await chain.refuse(contract, 'Invalid N');
    // What a contract refuses in its first moments is not said: it is being set up.
    expect(await askAgain()).toEqual([{ number: 101, refusal: 'Invalid N' }, []]);
    for (const refusal of ['Mismatched Validators', 'Parent Missing', 'Invalid Next Block']) {
      await chain.refuse(contract, refusal);
      expect(await askAgain()).toEqual([{ number: 101, refusal }, ['checkpoint_refused']]);
    }
    await chain.refuse(contract, '');
    expect(await askAgain()).toEqual([{ number: 101 }, []]);
  });

  it('that is restarted does not answer meanwhile, and is then as before', async () => {
    const before = await readAgain();
    await chain.stop();
    const down = await readAgain(before);
    expect(down.observation).toEqual({
      head: { ok: false, why: 'cannot be reached' },
      chainId: { ok: false, why: 'cannot be reached' },
      contract: { ok: false, why: 'cannot be reached' },
      balance: { ok: false, why: 'cannot be reached' },
    });
    expect(problemsOf(down)).toEqual(['parent_unreachable']);
    await chain.start();
    calm = undefined;
    const after = await readAgain(down);
    expect(after.progress).toMatchObject({ checkpoint: { committed: { number: 97 } }, advancedAt: before.at });
    expect(problemsOf(after)).toEqual([]);
  });

  it('that is reorganised takes back a checkpoint, which is not a problem', async () => {
    const start = await chain.call('evm_snapshot');
    const first = await readAgain();
    await chain.submit(contract, 160);
    const second = await readAgain(first);
    expect(second.progress).toMatchObject({ hasAdvanced: true, checkpoint: { committed: { number: 157 } } });
    await chain.call('evm_revert', start);
    const third = await readAgain(second);
    expect(third.progress).toMatchObject({ checkpoint: { committed: { number: 97 } }, advancedAt: second.at });
    expect([second, third].flatMap(problemsOf)).toEqual([]);
  });

  it('that has lost the contract, or has another one there, says so', async () => {
    const before = await readAgain();
    for (const [code, kind] of [
      ['0x', 'missing'],
      ['0x00', 'other'],
      ['0x60006000fd', 'other'],
      ['0xfe', 'other'],
    ] as const) {
      await chain.call('anvil_setCode', contract, code);
      const gone = await readAgain(before);
      expect([code, gone.observation.contract]).toEqual([code, { ok: true, value: { kind } }]);
      expect(problemsOf(gone)).toEqual(['contract_missing']);
      expect(gone.progress).toMatchObject({ checkpoint: { committed: { number: 97 } }, readAt: before.at });
    }
  });

  it('with another chain id than before is another chain', async () => {
    const before = await readAgain();
    await chain.call('anvil_setChainId', 50);
    onTestFinished(async () => {
      await chain.call('anvil_setChainId', 551);
    });
    const other = await readAgain(before);
    expect(other).toMatchObject({ firstChainId: 551, observation: { chainId: { ok: true, value: 50 } } });
    expect(problemsOf(other)).toEqual(['parent_other_chain']);
  });

  it('whose newest block is old is behind', async () => {
    await chain.call('evm_mine');
    const { headAgeMs = Number.NaN } = await readAgain();
    expect(headAgeMs).toBeLessThan(60_000);
    expect(problemsOf(await readAgain(undefined, Date.now() + 60_000))).toEqual([]);
    expect(problemsOf(await readAgain(undefined, Date.now() + 180_000))).toEqual(['parent_behind']);
  });
});
