import { describe, expect, it } from 'vitest';
import type { ChainObservation } from '../../../src/model/chain.ts';
import type { KnownTarget } from '../../../src/model/facts.ts';
import { judgeRestart } from '../../../src/watch/diagnosis/judge-restart.ts';
import { subnetPicture } from '../../../src/web/pages/subnet-picture.ts';
import { addressOf, diagnosed, diagnosedNode, type Given, NOW, named, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** Three nodes of XDC-Subnet and n4 of Nethermind. */
const mixed = (givenOf: (name: string) => Given = () => ({})): readonly KnownTarget[] =>
  NAMES.map((name) =>
    diagnosedNode(name, NAMES, { client: name === 'n4' ? 'nethermind' : 'xdc-subnet', ...givenOf(name) }),
  );
const chainOf = (name: string, chain: Partial<ChainObservation>) => (one: string) => (one === name ? { chain } : {});

/** The same, where each node has committed this long ago up to this height. */
function committing(given: Readonly<Record<string, readonly [number: number, agoMs: number]>>): readonly KnownTarget[] {
  return mixed().map((known) => {
    const [number, agoMs] = given[known.target.name] ?? given.go ?? [998, 0];
    const at = NOW - agoMs;
    const committed = { number, advancedAt: at, riseDueSince: at, lastGoodAt: NOW, risen: true };
    return { ...known, facts: { ...known.facts, node: { ...known.facts.node, committed } } } as KnownTarget;
  });
}

describe('a subnet of two clients', () => {
  it('is healthy, with the quorum of all', () => {
    expect(named(mixed())).toEqual([]);
    expect(stateOf(mixed()).quorum).toMatchObject({ total: 4, required: 3, voting: 4 });
  });

  it('forks and differs in its genesis across clients as within one', () => {
    const block = (hash: string) => ({ block: { number: 992, hash } });
    const forked = mixed((name) => ({ chain: block(name === 'n4' ? '0xother00' : '0xsame00') }));
    expect(diagnosed(forked).find(({ problem }) => problem === 'chain_forked')).toMatchObject({
      summary: 'n4 follows another chain',
      evidence: 'at block 992 the nodes have different blocks: n1, n2, n3 0xsame00…, n4 0xother00…',
    });
    expect(named(mixed(chainOf('n4', { genesis: '0x1234567890' })))).toContain('other_chain n4');
  });

  it.each([
    ['Nethermind', (name: string) => name === 'n4'],
    ['XDC-Subnet', (name: string) => name !== 'n4'],
  ])('knows masternodes, missed rounds and votes when only %s answers about them', (_, answers) => {
    const silent = { masternodes: undefined, missedRounds: undefined, pool: undefined, missing: { pool: 'error' } };
    const rounds = [1_990, 1_994].map((round) => ({ round, miner: addressOf('n2') }));
    const told: Partial<ChainObservation> = {
      missedRounds: { epochBlock: 900, epochRound: 1_800, rounds, byMiner: { [addressOf('n2')]: 2 } },
      pool: { voteRounds: 8, neverSigned: [addressOf('n2')], timeouts: 0, timeoutRound: 0 },
    };
    const state = stateOf(mixed((name) => ({ chain: (answers(name) ? told : silent) as Partial<ChainObservation> })));
    expect(state.epoch?.masternodes.find(({ name }) => name === 'n2')).toMatchObject({
      vote: 'silent',
      missedRounds: 2,
    });
    expect(state.quorum).toMatchObject({ total: 4, voting: 3 });
  });

  it('has no finality by the idea of Nethermind alone, and no lack of it by that either', () => {
    const stalled = committing({ go: [900, 90_000], n4: [998, 1_000] });
    expect(diagnosed(stalled).find(({ problem }) => problem === 'finality_stalled')?.evidence).toBe(
      'blocks come, but none after 900 has been committed for 1m 30s; 100 wait',
    );
    expect(named(committing({ go: [998, 1_000], n4: [900, 90_000] }))).toEqual([]);
    const at = { toWall: Number, nowWall: NOW } as unknown as Parameters<typeof subnetPicture>[2];
    expect(String(subnetPicture(stateOf(committing({ go: [900, 90_000], n4: [998, 1_000] })), [], at))).toContain(
      'final up to 900',
    );
  });

  it('of Nethermind alone has the finality that its nodes say', () => {
    const alone = committing({ go: [900, 90_000], n4: [900, 90_000] }).map(({ target, facts }) => ({
      target: { ...target, client: 'nethermind' },
      facts,
    })) as readonly KnownTarget[];
    expect(named(alone)).toEqual(['finality_stalled']);
  });

  it('counts the epochs of a subnet by blocks whatever number Nethermind gives', () => {
    const masternodes = { number: 1_000, round: 2_000, active: NAMES.map(addressOf), standby: [], penalised: [] };
    const { epoch } = stateOf(mixed(chainOf('n4', { masternodes: { ...masternodes, epoch: 2 } })));
    expect(epoch).toMatchObject({ number: 1, firstBlock: 900, nextFirstBlock: 1_800 });
    expect(epoch).not.toHaveProperty('isNextAtLatest');
  });

  it.each([undefined, { candidates: NAMES.map(addressOf), penalised: [], block: 451 }])(
    'says who is next where a node says it, and else nothing: %o',
    (nextEpoch) => {
      const masternodes = { number: 800, round: 900, active: NAMES.map(addressOf), standby: [], penalised: [] };
      const chain = { masternodes, ...(nextEpoch && { nextEpoch }) };
      expect(stateOf(mixed(() => ({ height: 800, chain }))).epoch?.isNextKnown).toBe(nextEpoch !== undefined);
    },
  );
});

describe('what Nethermind says of its own health', () => {
  const DISK = {
    of: 'disk',
    seen: 'its disk is nearly full, with 1.23 GB (4.20 %) free',
    fix: 'free space on the disk of its data folder',
  } as const;
  const DEAD = { of: 'blocks', seen: 'it has stopped processing blocks', fix: 'restart it' } as const;

  it('warns of a disk that fills while all is well, and costs no vote', () => {
    const filling = mixed(chainOf('n4', { health: [DISK] }));
    expect(diagnosed(filling)).toMatchObject([
      {
        problem: 'disk_filling',
        name: 'n4',
        summary: 'the disk of n4 is filling up',
        evidence: 'n4 says that its disk is nearly full, with 1.23 GB (4.20 %) free',
        fix: 'free space on the disk of its data folder',
      },
    ]);
    expect(stateOf(filling).quorum).toMatchObject({ voting: 4 });
  });

  it('says nothing more of a disk that its log has named', () => {
    const pattern = {
      count: 1,
      at: NOW - 30_000,
      order: 1,
      means: 'note',
      what: 'the disk of the node is nearly full',
    };
    const both = mixed(chainOf('n4', { health: [DISK] })).map((known) =>
      known.target.name === 'n4'
        ? {
            ...known,
            facts: { ...known.facts, logs: { ...known.facts.logs, patterns: { disk_nearly_full: pattern } } },
          }
        : known,
    ) as readonly KnownTarget[];
    expect(named(both)).toEqual(['disk_nearly_full n4']);
  });

  it('names why one node is stalled, and is no news while its blocks rise', () => {
    const stalled = mixed((name) =>
      name === 'n4' ? { height: 900, stalledMs: 90_000, chain: { health: [DEAD] } } : {},
    );
    expect(diagnosed(stalled).find(({ problem }) => problem === 'node_stalled')?.evidence).toBe(
      'n4 has been at block 900 for 1m 30s with 3 peers, while n1 rises, and its own /health says that it has stopped processing blocks',
    );
    expect(named(mixed(chainOf('n4', { health: [DEAD] })))).toEqual([]);
  });
});

describe('a restart in a network with Nethermind', () => {
  /** The pool of Nethermind is not answered, and its engine not at all where its module is off. */
  const NO_POOL = { pool: undefined, missing: { pool: 'error' } } as const;
  const ENGINE_OFF = {
    ...{ pool: undefined, consensus: undefined, masternodes: undefined, missedRounds: undefined },
    missing: { pool: 'module-off', consensus: 'module-off', masternodes: 'module-off', missedRounds: 'module-off' },
  } as const;

  /** What is answered about a node when all were probed just now. */
  const ask = (node: string, targets: readonly KnownTarget[]) => {
    const state = stateOf(targets);
    const checked = state.targets.map((target) => ({
      ...target,
      checks: target.checks.map((check) => ({ ...check, lastRun: NOW - 2_000, since: NOW - 3_600_000 })),
    }));
    const { safe, known, reason } =
      judgeRestart({ ...state, targets: checked }, node, { now: NOW, freshSince: NOW - 20_000 }) ?? {};
    return [safe, known, reason];
  };
  const alone = NAMES.map((name) => diagnosedNode(name, NAMES, { client: 'nethermind', chain: NO_POOL }));

  it.each([
    ['of it, beside others', 'n4', mixed(chainOf('n4', NO_POOL))],
    ['of another one beside it', 'n1', mixed(chainOf('n4', NO_POOL))],
    ['of it whose engine is off', 'n4', mixed(chainOf('n4', ENGINE_OFF as object))],
    ['where all run it', 'n2', alone],
  ] as const)('is known to be safe: %s', (_, node, targets) => {
    expect(ask(node, targets)).toEqual([true, true, '3 other masternodes vote, 3 needed']);
  });

  it('is known not to be safe while it is down, and so is one of another node', () => {
    const given = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;
    const down = mixed((name) => (name === 'n4' ? given : {}));
    expect(ask('n1', down)).toEqual([
      false,
      true,
      'only 2 other masternodes can be counted on, 3 needed: the container of n4 does not run',
    ]);
    expect(ask('n4', down)).toEqual([true, true, 'the container of n4 does not run, so a restart costs no vote']);
  });

  it('is not known where it says no address of its own, as with the module Net off', () => {
    const unnamed = mixed(chainOf('n4', { address: undefined, missing: { address: 'module-off' } }));
    const [safe, known, reason] = ask('n1', unnamed);
    expect([safe, known]).toEqual([false, false]);
    expect(reason).toBe(
      'only 2 other masternodes can be counted on, 3 needed: n4 has not said by which address it votes',
    );
  });
});
