import type { DemoClient } from './demo-client.ts';
import { connectedTo, type Effects, producesBlocks, SERVICES } from './effects.ts';

/** The checks, as `component/name/check`, whose verdict is other than in a healthy demo. */
export interface Changes {
  readonly fails: readonly string[];
  readonly degrades: readonly string[];
  /** Those that cannot be judged. */
  readonly unknown: readonly string[];
}

/** What a demo consists of. */
export interface DemoParts {
  readonly nodes: readonly string[];
  /** What each node runs; XDC-Subnet when absent. */
  readonly clients?: readonly DemoClient[];
  /** Does a browser visit the page of the frontend? */
  readonly browser: boolean;
}

/**
 * Whether a node shows less as the generator sets it up: its level hides blocks, and its peers are behind `admin`. Nethermind
 * shows both.
 */
export const asGeneratedIn =
  ({ nodes, clients = [] }: DemoParts) =>
  (name: string): boolean =>
    clients[nodes.indexOf(name)] !== 'nethermind';

/** Without its network, subnetd fails what it asks and does not know what Docker would tell; a local file it still reads. */
const changesWhenOffline = ({ nodes, browser }: DemoParts): Changes => ({
  fails: [
    ...nodes.flatMap((name) => [`node/${name}/latest_block`, `node/${name}/peers`]),
    ...SERVICES.map((service) => `${service}/${service}/http`),
    ...(browser ? ['frontend/frontend/console'] : []),
  ],
  degrades: [],
  unknown: [
    ...nodes.flatMap((name) => [`node/${name}/log_block`, `node/${name}/container`]),
    ...['messages', 'container'].map((check) => `bootnode/bootnode/${check}`),
    ...['submissions', 'container'].map((check) => `relayer/relayer/${check}`),
    ...['logs', 'container'].map((check) => `frontend/frontend/${check}`),
    'stats/stats/container',
  ],
});

/** The checks whose verdict changes while these effects last. */
export const changesOf = (effects: Effects, parts: DemoParts): Changes => {
  const { nodes, browser } = parts;
  if (effects.unreachable) return changesWhenOffline(parts);
  const asGenerated = asGeneratedIn(parts);
  const hasNewBlocks = producesBlocks(effects, nodes);
  const { down, frozen, behind, uncommitted, foreign, boasting } = effects;
  const { garbled, limited, rpcMoved, outOfFiles, misaddressed } = effects;
  const { adminHidden, closed, logLevelLow, unheard, fates } = effects;
  const silent = (name: string) =>
    misaddressed || [...down, ...garbled, ...limited, ...rpcMoved, ...outOfFiles].includes(name);
  const late = (name: string) =>
    !hasNewBlocks || silent(name) || [...frozen, ...behind, ...uncommitted, ...foreign, ...boasting].includes(name);
  const stands = (name: string) => !hasNewBlocks || [...down, ...frozen, ...foreign].includes(name);
  const lonely = (name: string) => silent(name) || connectedTo(effects, nodes, name).length !== nodes.length - 1;
  // Without a block in the log, a low level explains everything but a fatal line.
  const logFails = (name: string) =>
    fates[name] === 'ipc-path-too-long' ||
    fates[name] === 'read-only' ||
    (stands(name) && !(logLevelLow && asGenerated(name)));
  const unserved = closed.includes('frontend');
  const componentOf = (name: string) => (nodes.includes(name) ? 'node' : name);
  const fails = [
    ...nodes.flatMap((name) => [
      ...(late(name) ? [`node/${name}/latest_block`] : []),
      ...(lonely(name) ? [`node/${name}/peers`] : []),
      ...(logFails(name) ? [`node/${name}/log_block`] : []),
    ]),
    ...(nodes.some((name) => down.includes(name) || unheard.includes(name)) ? ['bootnode/bootnode/messages'] : []),
    ...(effects.relayer !== undefined || !hasNewBlocks || effects.finalityStalled
      ? ['relayer/relayer/submissions']
      : []),
    ...(effects.statsStale || closed.includes('stats') || !hasNewBlocks ? ['stats/stats/block_data'] : []),
    ...(effects.statsStale ? ['stats/stats/history_data'] : []),
    ...(effects.frontendError || fates.frontend === 'out-of-memory' ? ['frontend/frontend/logs'] : []),
    ...SERVICES.filter((service) => closed.includes(service)).map((service) => `${service}/${service}/http`),
    ...(browser && (effects.consoleError || unserved) ? ['frontend/frontend/console'] : []),
    ...[...Object.keys(fates), ...Object.keys(effects.projects)].map(
      (name) => `${componentOf(name)}/${name}/container`,
    ),
  ];
  const degrades = [
    ...(adminHidden
      ? nodes.filter((name) => asGenerated(name) && !lonely(name)).map((name) => `node/${name}/peers`)
      : []),
    ...(logLevelLow
      ? nodes.filter((name) => asGenerated(name) && !logFails(name)).map((name) => `node/${name}/log_block`)
      : []),
  ];
  // A file is still there.
  const unread = Object.keys(effects.projects).filter((name) => !down.includes(name) && asGenerated(name));
  return { fails, degrades, unknown: unread.map((name) => `node/${name}/log_block`) };
};
