import { describe, expect, it } from 'vitest';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { type Methods, startNode } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';
import { aConfig, MASTERS, xdposchainMethods } from '../../support/xdposchain-node.ts';

const { cleanups } = useCleanups();

const chainOf = async (changed: Methods = {}) => {
  const server = await startNode(xdposchainMethods(changed));
  const prober = createNodeProber(server.url, 'XDPoS', Date.now);
  cleanups.push(prober.close, server.stop);
  return (await prober.probe(5_000)).chain;
};
const withConfigs = (configs: Readonly<Record<string, unknown>>) =>
  chainOf({
    XDPoS_networkInformation: () => ({
      NetworkId: 5552,
      ConsensusConfigs: { period: 2, epoch: 90, gap: 45, v2: { config: aConfig(0), allConfigs: configs } },
    }),
  });

describe('a node of XDPoSChain', () => {
  it('says which epoch it is, and who the candidates are, in the addresses of all others', async () => {
    expect(await chainOf()).toMatchObject({
      masternodes: { number: 426, round: 476, epoch: 5, active: MASTERS.slice(0, 3), penalised: MASTERS.slice(3) },
      missedRounds: { epochBlock: 400, epochRound: 450, rounds: [] },
      nextEpoch: { candidates: MASTERS, penalised: MASTERS.slice(3) },
      consensus: { minePeriodMs: 2_000, maxMasternodes: 108, epoch: 90, gap: 45 },
    });
  });

  it('says which settings hold from which round on, with how timeouts grow', async () => {
    const growing = { expTimeoutConfig: { base: 2, maxExponent: 3 } };
    const chain = await withConfigs({ 900: aConfig(900, { minePeriod: 3, ...growing }), 0: aConfig(0) });
    expect(chain?.consensus?.byRound).toMatchObject([
      { round: 0, minePeriodMs: 2_000 },
      { round: 900, minePeriodMs: 3_000, timeoutBase: 2, timeoutMaxExponent: 3 },
    ]);
    expect(chain?.consensus?.byRound?.[0]).not.toHaveProperty('timeoutBase');
  });

  it('lacks what blocks of the first version of the consensus do not have, without an error', async () => {
    const v1 = () => ({ error: { code: -32_000, message: 'not supported in the v1 consensus' } });
    const chain = await chainOf({ XDPoS_getMasternodesByNumber: v1, XDPoS_getMissedRoundsInEpochByBlockNum: v1 });
    expect(chain?.missing).toMatchObject({ masternodes: 'not-yet', missedRounds: 'not-yet' });
  });
});
