import type { PatternPack } from '../../../model/log.ts';
import { programEnds } from './program-ends.ts';

/**
 * subnet-stats-service v0.1.12, the files of logs/debug. HTTP errors only answer somebody's request, so they are no
 * fault by themselves.
 */
export const statsPack: PatternPack = {
  component: 'stats',
  patterns: [
    {
      name: 'block_data',
      means: 'progress',
      level: 'DEBUG',
      literal: 'RECEIVER: block, data: {"block":{"number":',
      match: /^RECEIVER: block, data: \{"block":\{"number":(\d+),/,
      what: 'a node sent a block',
    },
    {
      name: 'history_data',
      means: 'progress',
      level: 'DEBUG',
      literal: 'RECEIVER: history, data: {"history":',
      what: 'a node sent its history, once after it connected',
    },
    {
      name: 'hello',
      means: 'state',
      level: 'DEBUG',
      literal: 'RECEIVER: Hello, Data: {',
      what: 'a node connected',
    },
    {
      name: 'started',
      means: 'state',
      level: 'INFO',
      literal: '🚀 Subnet Stats Service listening on the port',
      what: 'the stats server was started',
    },
    {
      name: 'stdout_banner',
      means: 'state',
      literal: '> subnet-stats-service@',
      match: /^> subnet-stats-service@\S+ start$/,
      what: 'this is the log of the container, which has no data lines',
    },
    {
      name: 'wrong_secret',
      means: 'note',
      level: 'INFO',
      literal: 'Disconnect a node who does not have the correct WS secret',
      what: 'STATS_SECRET differs between a node and the stats server',
    },
    {
      name: 'request_failed',
      means: 'note',
      level: 'ERROR',
      literal: ' >> StatusCode:: 5',
      anywhere: true,
      match: /^\[[A-Z]+\] \S+ >> StatusCode:: 5\d\d,/,
      what: 'somebody asked for what the stats server could not get from the subnet or the parent chain',
    },
    {
      name: 'config_missing',
      means: 'fatal',
      level: 'ERROR',
      literal: 'PARENTNET_WALLET and CHECKPOINT_CONTRACT configuration must be set!',
      what: 'the stats server ends because a setting is missing',
      fix: 'deploy the checkpoint contract and set CHECKPOINT_CONTRACT in common.env',
      containerOnly: true,
    },
    {
      name: 'urls_missing',
      means: 'fatal',
      level: 'ERROR',
      literal: 'SUBNET_URL and PARENTNET_URL configuration must be set!',
      what: 'the stats server ends because the address of a chain is missing',
      fix: 'set SUBNET_URL and PARENTNET_URL in common.env',
      containerOnly: true,
    },
    ...programEnds().map((end) => ({ ...end, containerOnly: true })),
  ],
};
