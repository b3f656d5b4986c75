import { type ConsensusSettings, type RoundSettings, settingsAt } from '../../model/chain.ts';
import type { Suspicion } from '../../model/problem.ts';
import { describeWait, type Upgrade } from '../../model/upgrade.ts';
import { commandToRecreate } from '../clients/commands-to-type.ts';
import { adviceOf, isStopped, type NodeView, type SubnetView } from './subnet-view.ts';
import { suspectTarget } from './suspect.ts';

function describeChange(before: RoundSettings, after: RoundSettings): string {
  const change = (what: string, read: (one: RoundSettings) => number | undefined, unit = '') => {
    const [from, to] = [read(before), read(after)];
    return from === undefined || to === undefined || from === to ? [] : [`${what} ${from} → ${to}${unit}`];
  };
  const changes = [
    ...change('period', ({ minePeriodMs }) => minePeriodMs / 1_000, ' s'),
    ...change('timeout', ({ timeoutPeriodMs }) => timeoutPeriodMs / 1_000, ' s'),
    ...change('threshold', ({ certificateThreshold }) => certificateThreshold),
    ...change('masternodes at most', ({ maxMasternodes }) => maxMasternodes),
  ];
  return changes.length === 0 ? 'other rewards or penalties' : changes.join(', ');
}

const settingsOf = ({ isForeign, chainFacts }: NodeView): ConsensusSettings | undefined =>
  isForeign ? undefined : chainFacts?.observation.consensus;

/**
 * The next change of the consensus settings at a coming round, and the nodes that know it and those that do not, or know another one of
 * that round. Only nodes that say from which rounds on their settings hold are compared.
 */
export function findComing({ nodes, chain: { consensus, masternodes } }: SubnetView) {
  if (consensus === undefined || masternodes === undefined) return undefined;
  // Equal settings are the same object (createSharing).
  const rounds = [...new Set(nodes.map(settingsOf))].flatMap((settings) => settings?.byRound ?? []);
  const round = Math.min(...rounds.map((one) => one.round).filter((one) => one > masternodes.round));
  if (!Number.isFinite(round)) return undefined;
  const dated = nodes.flatMap((node) => {
    const settings = settingsOf(node);
    if (settings === undefined || (settings.byRound ?? []).length === 0) return [];
    const own = settingsAt(settings, round);
    // What decides whether a node follows the others. Not all clients give the rest.
    const key = `${own.minePeriodMs} ${own.timeoutPeriodMs} ${own.certificateThreshold}`;
    return [{ node, settings, own, key, isKnown: settings.byRound?.some((one) => one.round === round) }];
  });
  const known = dated.filter(({ isKnown }) => isKnown);
  const groups = [...Map.groupBy(known, ({ key }) => key).values()];
  const [first] = groups.toSorted((one, other) => other.length - one.length)[0] ?? [];
  if (first === undefined) return undefined;
  // One that has the same settings already needs no change.
  const nodesOf = (has: boolean) => dated.filter(({ key }) => (key === first.key) === has).map(({ node }) => node);
  const lacking = nodesOf(false);
  const upgrade: Upgrade = {
    round,
    inSeconds: Math.round(((round - masternodes.round) * consensus.minePeriodMs) / 1_000),
    change: describeChange(settingsAt(first.settings, round - 1), first.own),
    lacking: lacking.map(({ name }) => name),
  };
  return { upgrade, having: nodesOf(true), lacking };
}

/** Nodes that lack what others do from a coming round on. */
export function findUpgradeProblems(view: SubnetView): readonly Suspicion[] {
  const { upgrade, having: [other] = [], having = [], lacking = [] } = findComing(view) ?? {};
  if (upgrade === undefined || other === undefined) return [];
  const { round, change } = upgrade;
  const running = lacking.filter((node) => !isStopped(node));
  return running.map((node) =>
    suspectTarget('upgrade_missing', node, {
      summary: `${node.name} lacks the change of the consensus settings at round ${round}`,
      evidence: `${having.length} of ${having.length + lacking.length} nodes follow "${change}" from round ${round} on, ${describeWait(upgrade)}, and ${node.name} does not`,
      fix: `before that round, ${adviceOf(node).compareGenesis(node.name, other.name)}, and ${commandToRecreate(node.target.container)}`,
    }),
  );
}
