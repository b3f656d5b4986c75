import type { CheckSettings, NodeTarget, RoundName, ServiceTarget, Target } from '../model/target.ts';
import { type CheckName, type Judgement, unknown } from '../model/verdict.ts';
import { judgeContainer } from './judge-container.ts';
import { judgeHttp } from './judge-http.ts';
import { judgeLatestBlock } from './judge-latest-block.ts';
import { judgePeers } from './judge-peers.ts';
import type { View } from './view.ts';

/** One check: what it is of, which round feeds it, and how it is judged. */
export interface Check {
  readonly name: CheckName;
  readonly isOf: (target: Target) => boolean;
  readonly round: RoundName;
  /** Why the inventory gives nothing to look at; undefined when it does. */
  readonly skippedBecause: (target: Target, settings: CheckSettings) => string | undefined;
  readonly judge: (view: View) => Judgement;
}

const isNode = ({ component }: Target): boolean => component === 'node';
const isService = ({ component }: Target): boolean => ['relayer', 'stats', 'frontend'].includes(component);

function noRpc(target: Target, settings: CheckSettings): string | undefined {
  if (!settings.rpc.enabled) return 'checks.rpc.enabled is false in the inventory';
  return (target as NodeTarget).rpc === undefined
    ? `${target.name} has no rpc in the inventory; add its address`
    : undefined;
}

const noUrl = (target: Target): string | undefined =>
  (target as ServiceTarget).url === undefined
    ? `the ${target.name} has no url in the inventory; add its address`
    : undefined;

/** Every check there is; a target's checks are those of its component, in this order. */
export const checks: readonly Check[] = [
  {
    name: 'latest_block',
    isOf: isNode,
    round: 'rpc',
    skippedBecause: noRpc,
    judge: (view) => judgeLatestBlock(view as View<NodeTarget>),
  },
  {
    name: 'peers',
    isOf: isNode,
    round: 'rpc',
    skippedBecause: noRpc,
    judge: (view) => judgePeers(view as View<NodeTarget>),
  },
  {
    name: 'http',
    isOf: isService,
    round: 'services',
    skippedBecause: noUrl,
    judge: (view) => judgeHttp(view as View<ServiceTarget>),
  },
  {
    name: 'container',
    isOf: ({ container }) => container !== undefined,
    round: 'containers',
    skippedBecause: () => undefined,
    judge: ({ target, facts, settings, now }) =>
      target.container === undefined
        ? unknown('no container')
        : judgeContainer(facts.container, target.container, settings.logs.errorWindowMs, now),
  },
];
