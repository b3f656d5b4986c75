import type { LogPattern } from '../../../model/log.ts';
import { fatal, note, progress, state, toPack } from './pattern-rows.ts';
import { programEnds } from './program-ends.ts';

/**
 * subnet-stats-service v0.1.12, the files of logs/debug. HTTP errors only answer somebody's request, so they are no
 * fault by themselves.
 */
export const statsPack: readonly LogPattern[] = [
  ...toPack({
    block_data: progress('RECEIVER: block, data: {"block":{"number":', 'a node sent a block', {
      level: 'DEBUG',
      match: /^RECEIVER: block, data: \{"block":\{"number":(\d+),/,
    }),
    history_data: progress('RECEIVER: history, data: {"history":', 'a node sent its history, once after it connected', {
      level: 'DEBUG',
    }),
    hello: state('RECEIVER: Hello, Data: {', 'a node connected', { level: 'DEBUG' }),
    started: state('🚀 Subnet Stats Service listening on the port', 'the stats server was started', {
      level: 'INFO',
    }),
    stdout_banner: state('> subnet-stats-service@', 'this is the log of the container, which has no data lines', {
      match: /^> subnet-stats-service@\S+ start$/,
    }),
    wrong_secret: note(
      'Disconnect a node who does not have the correct WS secret',
      'STATS_SECRET differs between a node and the stats server',
      { level: 'INFO' },
    ),
    request_failed: note(
      ' >> StatusCode:: 5',
      'a client requested data that the stats server could not get from the subnet or the parent chain',
      { level: 'ERROR', anywhere: true, match: /^\[[A-Z]+\] \S+ >> StatusCode:: 5\d\d,/ },
    ),
    config_missing: fatal(
      'PARENTNET_WALLET and CHECKPOINT_CONTRACT configuration must be set!',
      'the stats server ends because a setting is missing',
      {
        level: 'ERROR',
        fix: 'deploy the checkpoint contract and set CHECKPOINT_CONTRACT in common.env',
        containerOnly: true,
      },
    ),
    urls_missing: fatal(
      'SUBNET_URL and PARENTNET_URL configuration must be set!',
      'the stats server ends because the address of a chain is missing',
      { level: 'ERROR', fix: 'set SUBNET_URL and PARENTNET_URL in common.env', containerOnly: true },
    ),
  }),
  ...toPack(programEnds()).map((end) => ({ ...end, containerOnly: true })),
];
