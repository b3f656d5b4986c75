import { type Condition, perTarget } from './condition.ts';
import { judgeFailure } from './known-failure.ts';

const known = (failure: string): Condition => perTarget('any', (state) => judgeFailure(state, failure));

/** The conditions of `failureRules`, judged without Prometheus. */
export const failureConditions = {
  SubnetIpcPathTooLong: known('ipc_path_too_long'),
  SubnetContainerOutOfMemory: known('out_of_memory'),
  SubnetNodeHeadFell: known('head_regression'),
  SubnetNodeMinerStopped: known('miner_loop_stopped'),
  SubnetNodeMasternodeUpdateFailed: known('masternode_update_failed'),
  SubnetNodeAddressInUse: known('address_in_use'),
  SubnetNodeDatabaseLost: known('database_lost'),
  SubnetRelayerDead: known('relayer_dead'),
  SubnetRelayerRedisDead: known('relayer_redis_dead'),
  SubnetRelayerIdle: known('relayer_idle'),
  SubnetRelayerWalletEmpty: known('wallet_without_funds'),
  SubnetStatsWithoutContract: known('stats_without_contract'),
  SubnetFrontendWithoutRegistry: known('frontend_without_registry'),
} as const;
