import { checksOf } from './alert-of-check.ts';
import { failing, fails, perTarget } from './condition.ts';
import { countSilent, heightOf, highestOf, movedWithin, nodesOf } from './node-movement.ts';

const PEERS = checksOf('SubnetNodePeersMissing');
const LOG = checksOf('SubnetNodeLogFault');
const MESSAGES = checksOf('SubnetBootnodeMissesNode');

const STALLED_MS = 2 * 60_000;

/** Nodes that are down explain the same number of missing ones. */
const isExplained = (missing: number | undefined, silent: number): boolean =>
  missing !== undefined && missing > 0 && missing <= silent;

/** The conditions of `nodeRules`, judged without Prometheus. */
export const nodeConditions = {
  SubnetNodeDown: perTarget('node', (state) => {
    const answered = state.facts.node?.observation.answered;
    const isJudged = fails(state, 'latest_block') !== undefined;
    if (answered === true) return false;
    return isJudged ? failing(state, 'latest_block') : undefined;
  }),
  SubnetNodeStalled: perTarget('node', (state, { now }) => {
    const is = fails(state, 'latest_block');
    const height = heightOf(state);
    if (is !== true) return is;
    return height === undefined || movedWithin(state.facts.node?.latest, now, STALLED_MS) ? false : height;
  }),
  SubnetNodeBehind: perTarget('node', (state, { now }, subnet) => {
    const is = fails(state, 'latest_block');
    const height = heightOf(state);
    if (is !== true) return is;
    if (height === undefined || !movedWithin(state.facts.node?.latest, now, STALLED_MS)) return false;
    return (highestOf(subnet) ?? height) - height;
  }),
  SubnetNodeTellsNoBlock: perTarget('node', (state) => {
    const is = failing(state, 'latest_block');
    if (is !== 0) return is;
    return state.facts.node?.observation.answered === true && heightOf(state) === undefined ? 0 : false;
  }),
  SubnetNodePeersMissing: perTarget('node', (state, _seen, subnet) => {
    const is = failing(state, ...PEERS);
    const peers = state.facts.node?.observation.peers;
    if (is !== 0 || state.target.component !== 'node') return is;
    const missing = peers?.ok ? state.target.expectedPeers - peers.value.count : undefined;
    return isExplained(missing, countSilent(subnet)) ? false : 0;
  }),
  SubnetNodeLogFault: perTarget('node', (state) => failing(state, ...LOG)),
  SubnetBootnodeMissesNode: perTarget('bootnode', (state, _seen, subnet) => {
    const is = failing(state, ...MESSAGES);
    if (is !== 0) return is;
    const { heardNodes } = state;
    const missing = heardNodes === undefined ? undefined : nodesOf(subnet).length - heardNodes;
    return isExplained(missing, countSilent(subnet)) ? false : 0;
  }),
} as const;
