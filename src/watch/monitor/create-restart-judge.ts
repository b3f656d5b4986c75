import { setTimeout as wait } from 'node:timers/promises';
import { settleWithin } from '../../lib/promises.ts';
import { listNames } from '../../lib/words.ts';
import type { RestartAnswer, RestartResult } from '../../model/restart-answer.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import type { RoundName, Subnet } from '../../model/target.ts';
import { judgeRestart } from '../diagnosis/judge-restart.ts';

/** Answers whether a node may be restarted now. */
export interface RestartJudge {
  /** By what is known now; undefined when there is no such node. */
  judge(subnet: string, node: string): RestartAnswer | undefined;
  /** Probes the nodes of the subnet first, so that a restart of the moment before is seen. Without a subnet, the only one that has the node. */
  ask(subnet: string | undefined, node: string): Promise<RestartResult>;
}

/** What the answers are made of. */
export interface RestartJudgeOptions {
  readonly snapshot: () => Snapshot;
  /** Probes all nodes of a subnet once and diagnoses it, as soon as all but these silent ones were probed. Never rejects. */
  readonly probeNodes: (subnet: Subnet, silent: ReadonlySet<string>) => Promise<void>;
  readonly intervalMs: (subnet: string, round: RoundName) => number | undefined;
  readonly now: () => number;
  /** That of the clock. */
  readonly toWall: (at: number) => number;
}

/** A subnet of more nodes is judged by its rounds: to probe all of its nodes for each question would cost too much. */
const MAX_PROBED = 100;

/** The least time from one probe of all nodes to the next, in real time, however many questions come. */
const PROBE_EVERY_MS = 1_000;

/** How long a question waits for the probes at most. */
const PROBES_WITHIN_MS = 8_000;

/** How old the facts of rounds may be: two rounds, but between these limits. */
const LEAST_AGE_MS = 20_000;
const MOST_AGE_MS = 60_000;

/** The nodes that did not answer their last probe. It may take long until they fail to answer once more. */
const findSilent = (state: SubnetState | undefined): ReadonlySet<string> =>
  new Set(
    state?.targets.flatMap(({ target, facts }) => (facts.node?.observation.answered === false ? target.name : [])),
  );

const nodesOf = ({ subnet: { targets } }: SubnetState): readonly string[] =>
  targets.flatMap(({ component, name }) => (component === 'node' ? [name] : []));

/** At most this many names are listed. The others are counted. */
const MAX_NAMED = 10;
const list = (names: readonly string[]): string => listNames(names, MAX_NAMED);

/** The subnet whose node is meant, or why there is none. */
function findSubnet(
  snapshot: Snapshot,
  subnet: string | undefined,
  node: string,
): SubnetState | Exclude<RestartResult, { readonly kind: 'answer' }> {
  const unknown = (error: string) => ({ kind: 'unknown', error }) as const;
  const named = snapshot.filter((state) => subnet === undefined || state.subnet.name === subnet);
  if (named.length === 0)
    return unknown(`the inventory has no such subnet; it has ${list(snapshot.map((state) => state.subnet.name))}`);
  const [found, ...others] = named.filter((state) => nodesOf(state).includes(node));
  if (others.length > 0 && found !== undefined)
    return {
      kind: 'ambiguous',
      error: `several subnets have this node, so name the subnet: ${list([found, ...others].map((state) => state.subnet.name))}`,
    };
  if (found !== undefined) return found;
  if (named.some((state) => state.subnet.targets.some(({ name }) => name === node)))
    return unknown(`${node} is not a node, so it has no vote and blocks do not depend on it`);
  const [only] = named;
  return unknown(
    only !== undefined && named.length === 1
      ? `${only.subnet.name} has no such node; it has ${list(nodesOf(only))}`
      : 'no subnet of the inventory has such a node',
  );
}

export function createRestartJudge({
  snapshot,
  probeNodes,
  intervalMs,
  now,
  toWall,
}: RestartJudgeOptions): RestartJudge {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  const stateOf = (name: string) => snapshot().find(({ subnet }) => subnet.name === name);

  /** Since when facts of rounds are new enough. */
  const roundsSince = ({ subnet: { name, settings } }: SubnetState): number => {
    const everyMs = Math.max(...(['rpc', 'containers'] as const).map((round) => intervalMs(name, round) ?? 0));
    return now() - Math.min(Math.max(2 * everyMs + settings.rpc.timeoutMs, LEAST_AGE_MS), MOST_AGE_MS);
  };

  /** Probes all nodes. Each caller gets probes that begin after its call, and those that wait share them. */
  const probeAgain = (subnet: Subnet): Promise<void> => {
    const { name } = subnet;
    const known = waiting.get(name);
    if (known !== undefined) return known;
    const next = (running.get(name) ?? Promise.resolve()).then(() => {
      waiting.delete(name);
      const probed = probeNodes(subnet, findSilent(stateOf(name)));
      const ended = Promise.all([probed, wait(PROBE_EVERY_MS, undefined, { ref: false })]).then(() => {
        if (running.get(name) === ended) running.delete(name);
      });
      running.set(name, ended);
      return probed;
    });
    waiting.set(name, next);
    return next;
  };

  const moment = () => {
    const at = now();
    return { now: at, wallAheadMs: toWall(at) - at };
  };

  const judge: RestartJudge['judge'] = (subnet, node) => {
    const state = stateOf(subnet);
    return state && judgeRestart(state, node, { ...moment(), freshSince: roundsSince(state) });
  };

  return {
    judge,
    ask: async (subnet, node) => {
      const before = findSubnet(snapshot(), subnet, node);
      if ('kind' in before) return before;
      const { name } = before.subnet;
      const askedAt = now();
      const isProbed = nodesOf(before).length <= MAX_PROBED;
      if (isProbed) await settleWithin(PROBES_WITHIN_MS, probeAgain(before.subnet));
      const after = isProbed ? stateOf(name) : undefined;
      const answer = after
        ? judgeRestart(after, node, { ...moment(), freshSince: askedAt, silentSince: roundsSince(after) })
        : judge(name, node);
      // A reload may have removed it meanwhile.
      return answer === undefined
        ? { kind: 'unknown', error: 'the inventory no longer has this node' }
        : { kind: 'answer', subnet: name, node, ...answer };
    },
  };
}
