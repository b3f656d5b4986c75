import { toShellWord } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { askedAt, checkOf, type NodeView } from './subnet-view.ts';
import { explain, suspectTarget } from './suspect.ts';

/** The faults of a way to the RPC of a node that does not lead there. */
const CLOSED_FAULTS: readonly (string | undefined)[] = ['refused', 'unreachable', 'unresolved', 'timeout', 'closed'];

/** Nodes are probed one after another, so a line may have been printed this long before the probe that failed has ended. */
const LINE_BEFORE_MS = 2_000;

/** How it shows that a node runs whose RPC cannot be reached. */
function findLife({ answers, fault, isLogAlive, unseen, state }: NodeView): string | undefined {
  if (answers === true) return 'its IPC socket answers';
  // A node that is waited for would have answered at the begin of the probe.
  const waitedMs = (fault !== undefined && 'afterMs' in fault && fault.afterMs) || 0;
  const failsSince = (checkOf(state, 'latest_block')?.since ?? Number.POSITIVE_INFINITY) - waitedMs;
  const { advancedAt: printedAt = Number.NEGATIVE_INFINITY, startedAt = 0 } = state.facts.logs?.node ?? {};
  const isAskedSinceStart = askedAt(state) >= startedAt;
  if (isLogAlive && isAskedSinceStart && printedAt - failsSince >= LINE_BEFORE_MS) return 'its log goes on';
  return unseen === 'votes' ? 'its masternode misses no turn' : undefined;
}

/** The RPC of a node cannot be reached, but the node runs. */
export function findClosedRpc(node: NodeView): Suspicion | undefined {
  const { name, state, fault, isStarting } = node;
  if (isStarting) return undefined;
  const life = CLOSED_FAULTS.includes(fault?.kind) ? findLife(node) : undefined;
  if (life === undefined) return undefined;
  const { seen = '', fix = '' } = checkOf(state, 'latest_block') ?? {};
  return suspectTarget('rpc_closed', node, {
    summary: `subnetd cannot reach the RPC of ${name}, which runs`,
    evidence: `${seen}; ${life}`,
    fix:
      fault?.kind === 'refused'
        ? `see on which address and port ${name} serves RPC, if at all, and correct rpc in the inventory or the flags of its start: ${life}, so starting it does not help`
        : fault?.kind === 'timeout'
          ? `see whether a firewall between here and ${name} drops packets; if not, its RPC hangs although it runs, and a restart helps: ask \`subnetd safe-to-restart ${toShellWord(name)}\` first`
          : fix,
    explains: explain(node, 'latest_block', 'peers', 'log_block'),
  });
}
