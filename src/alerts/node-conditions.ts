import { checksOfAlert } from './alert-of-check.ts';
import { FAILED, isActive, judgeChecks, perTarget } from './condition.ts';
import { movedWithin } from './node-movement.ts';
import { countSilent, heightOf, highestOf, nodesOf } from './subnet-nodes.ts';

const PEERS = checksOfAlert('SubnetNodePeersMissing');
const LOG = checksOfAlert('SubnetNodeLogFault');
const MESSAGES = checksOfAlert('SubnetBootnodeMissesNode');

const STALLED_AFTER_MS = 2 * 60_000;

/** Nodes that are down explain the same number of missing ones. */
const isExplained = (missing: number | undefined, silent: number): boolean =>
  missing !== undefined && missing > 0 && missing <= silent;

/** The conditions of `nodeRules`, judged without Prometheus. */
export const nodeConditions = {
  SubnetNodeDown: perTarget('node', (state) =>
    state.facts.node?.observation.answered === true ? 'clear' : judgeChecks(state, 'latest_block'),
  ),
  SubnetNodeStalled: perTarget('node', (state, { now }) => {
    const result = judgeChecks(state, 'latest_block');
    const height = heightOf(state);
    if (!isActive(result)) return result;
    const isMoving = movedWithin(state.facts.node?.latest, now, STALLED_AFTER_MS);
    return height === undefined || isMoving ? 'clear' : { value: height };
  }),
  SubnetNodeBehind: perTarget('node', (state, { now }, subnet) => {
    const result = judgeChecks(state, 'latest_block');
    const height = heightOf(state);
    if (!isActive(result)) return result;
    if (height === undefined || !movedWithin(state.facts.node?.latest, now, STALLED_AFTER_MS)) return 'clear';
    return { value: (highestOf(subnet) ?? height) - height };
  }),
  SubnetNodeTellsNoBlock: perTarget('node', (state) => {
    const result = judgeChecks(state, 'latest_block');
    if (!isActive(result)) return result;
    return state.facts.node?.observation.answered === true && heightOf(state) === undefined ? FAILED : 'clear';
  }),
  SubnetNodePeersMissing: perTarget('node', (state, _input, subnet) => {
    const result = judgeChecks(state, ...PEERS);
    const peers = state.facts.node?.observation.peers;
    if (!isActive(result)) return result;
    const missing = peers?.ok ? state.target.expectedPeers - peers.value.count : undefined;
    return isExplained(missing, countSilent(subnet)) ? 'clear' : FAILED;
  }),
  SubnetNodeLogFault: perTarget('node', (state) => judgeChecks(state, ...LOG)),
  SubnetBootnodeMissesNode: perTarget('bootnode', (state, _input, subnet) => {
    const result = judgeChecks(state, ...MESSAGES);
    if (!isActive(result)) return result;
    const { heardNodes } = state;
    const missing = heardNodes === undefined ? undefined : nodesOf(subnet).length - heardNodes;
    return isExplained(missing, countSilent(subnet)) ? 'clear' : FAILED;
  }),
} as const;
