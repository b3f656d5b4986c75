import type { KnownTarget } from '../../src/model/facts.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { describeSubnet, explainTargets, NO_PROBLEMS } from '../../src/watch/diagnosis/diagnose-subnet.ts';
import { viewSubnet } from '../../src/watch/diagnosis/view-subnet.ts';
import { diagnosedNode, follow, listCauses, NOW, STOPPED } from './diagnosed.ts';
import { judgeTargets } from './judge-targets.ts';

/** How long the problems have been found, and how often. */
const OPEN_MS = 600_000;
const STEP_MS = 30_000;

/** The state of a subnet as the board has it after ten minutes with these targets: every problem is open. */
export function stateOf(targets: readonly KnownTarget[], name = 'devnet'): SubnetState {
  const subnet = {
    name,
    consensus: 'XDPoS',
    targets: targets.map(({ target }) => target),
    settings: DEFAULT_SETTINGS,
  };
  const judged = judgeTargets(targets, NOW);
  const view = viewSubnet(subnet, judged, NOW);
  const found = listCauses(view);
  let followed = NO_PROBLEMS;
  for (let at = NOW - OPEN_MS; at <= NOW; at += STEP_MS) followed = follow(followed, found, judged, at);
  const { problems } = followed;
  return { subnet, targets: explainTargets(judged, problems), problems, ...describeSubnet(view, judged, problems) };
}

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;

/** The state of a subnet of four nodes, n1 to n4, of which these are stopped. */
export const withDown = (...gone: readonly string[]): SubnetState =>
  stateOf(NAMES.map((name) => diagnosedNode(name, NAMES, gone.includes(name) ? down : {})));
