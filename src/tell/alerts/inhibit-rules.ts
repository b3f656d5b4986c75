import { TARGET } from './problem-rule.ts';
import type { AlertLabels, TrackedAlert } from './tracked-alert.ts';

/** What a label must be: one value, or a pattern for the whole value. */
export interface LabelMatcher {
  readonly label: 'alertname' | 'component' | 'severity';
  readonly pattern?: true;
  readonly value: string;
}

/** While an alert that matches `source` fires, nobody is notified of those that match `target` and have equal labels. */
export interface InhibitRule {
  readonly source: readonly LabelMatcher[];
  readonly target: readonly LabelMatcher[];
  readonly equal: readonly ('subnet' | 'component' | 'name')[];
}

const alertIs = (value: string): LabelMatcher => ({ label: 'alertname', value });
const alertIn = (value: string): LabelMatcher => ({ label: 'alertname', pattern: true, value });
const componentIs = (value: string): LabelMatcher => ({ label: 'component', value });

/** The inhibition of config/alertmanager/alertmanager.yml.example, which explains each; a test compares the two. */
export const inhibitRules: readonly InhibitRule[] = [
  { source: [alertIs('SubnetdShardUnseen')], target: [alertIs('SubnetdDown')], equal: [] },
  {
    source: [alertIs('SubnetdOffline')],
    target: [alertIn('Subnet[A-Z].+|SubnetdLogSourceDown|SubnetdDockerDown')],
    equal: ['subnet'],
  },
  {
    source: [alertIn('SubnetHalted|SubnetQuorumAtRisk')],
    target: [
      alertIn('Subnet[A-Z].+|SubnetdLogSourceDown'),
      componentIs('node'),
      { label: 'severity', value: 'warning' },
    ],
    equal: ['subnet'],
  },
  {
    source: [alertIs('SubnetHalted')],
    target: [
      alertIn('SubnetQuorumAtRisk|SubnetNextEpochAtRisk|SubnetFinalityStalled|SubnetRelayerStopped|SubnetStatsStale'),
    ],
    equal: ['subnet'],
  },
  { source: [alertIs('SubnetChainForked')], target: [alertIs('SubnetQuorumAtRisk')], equal: ['subnet'] },
  {
    source: [
      alertIn(
        'SubnetIpcPathTooLong|SubnetContainerOutOfMemory|SubnetNodeMasternodeUpdateFailed|SubnetNodeAddressInUse|SubnetNodeDatabaseLost|SubnetRelayerDead|SubnetRelayerRedisDead|SubnetStatsWithoutContract|SubnetFrontendWithoutRegistry',
      ),
    ],
    target: [
      alertIn(
        'SubnetContainerDown|SubnetContainerRestarting|SubnetContainerMemoryNearLimit|SubnetNodeDown|SubnetNodeHeadFell|SubnetServiceDown|SubnetStatsStale|SubnetFrontendErrors|SubnetdLogSourceDown',
      ),
    ],
    equal: TARGET,
  },
  {
    source: [alertIn('SubnetContainerDown|SubnetContainerRestarting')],
    target: [
      alertIn(
        'SubnetNodeDown|SubnetServiceDown|SubnetStatsStale|SubnetFrontendErrors|SubnetBootnodeMissesNode|SubnetdLogSourceDown',
      ),
    ],
    equal: TARGET,
  },
  {
    source: [
      alertIn(
        'SubnetServiceDown|SubnetContainerDown|SubnetContainerRestarting|SubnetContainerOutOfMemory|SubnetStatsWithoutContract',
      ),
      componentIs('stats'),
    ],
    target: [alertIs('SubnetFrontendErrors')],
    equal: ['subnet'],
  },
];

const toTest = (matchers: readonly LabelMatcher[]): ((labels: AlertLabels) => boolean) => {
  const tests = matchers.map(({ label, pattern, value }) => {
    if (!pattern) return (labels: AlertLabels) => labels[label] === value;
    const whole = new RegExp(`^(?:${value})$`);
    return (labels: AlertLabels) => whole.test(labels[label] ?? '');
  });
  return (labels) => tests.every((test) => test(labels));
};

const compiled = inhibitRules.map(({ source, target, equal }) => ({
  isSource: toTest(source),
  isTarget: toTest(target),
  // A label that both lack is equal.
  scopeOf: (labels: AlertLabels) => JSON.stringify(equal.map((label) => labels[label] ?? '')),
}));

/** Creates the test whether one of the firing alerts inhibits another one. No alert matches both sides of a rule. */
export function createInhibition(
  firing: readonly Pick<TrackedAlert, 'labels' | 'details' | 'seenAt'>[],
): (alert: Pick<TrackedAlert, 'labels' | 'activeAt'>) => boolean {
  // What clears brings nothing that began after it was last seen.
  const untilOf = ({ details, seenAt }: (typeof firing)[number]) => (details?.isClearing ? seenAt : Infinity);
  const rules = compiled.map(({ isSource, isTarget, scopeOf }) => ({
    isTarget,
    scopeOf,
    scopes: Map.groupBy(
      firing.filter(({ labels }) => isSource(labels)),
      ({ labels }) => scopeOf(labels),
    ),
  }));
  return ({ labels, activeAt }) =>
    rules.some(
      ({ isTarget, scopeOf, scopes }) =>
        isTarget(labels) && scopes.get(scopeOf(labels))?.some((source) => activeAt <= untilOf(source)),
    );
}
