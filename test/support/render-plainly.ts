import { findPlanned } from '../../src/model/planned-work.ts';
import { isStanding } from '../../src/model/problem.ts';
import { type Masternode, type Snapshot, type SubnetState, VOTES, type Vote } from '../../src/model/snapshot.ts';
import type { Target } from '../../src/model/target.ts';
import { families } from '../../src/tell/metrics/families.ts';
import { escapeLabel } from '../../src/tell/metrics/family.ts';
import type { IntervalSeconds } from '../../src/tell/metrics/parts.ts';

const subnetLabel = (subnet: string): string => `subnet="${escapeLabel(subnet)}"`;

const targetLabels = ({ subnet, component, name }: Target): string =>
  `${subnetLabel(subnet)},component="${component}",name="${escapeLabel(name)}"`;

/** How many masternodes do what for the next block. */
function countVotes(masternodes: readonly Masternode[]): ReadonlyMap<Vote, number> {
  const counts = new Map<Vote, number>(VOTES.map((vote) => [vote, 0]));
  for (const { vote } of masternodes) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  return counts;
}

/** The labels of the whole subnet and of the targets that planned work covers. */
function findCovered({ subnet, targets, plannedWork = [] }: SubnetState): readonly string[] {
  if (plannedWork.length === 0) return [];
  const whole = `subnet="${escapeLabel(subnet.name)}",component="",name=""`;
  return [
    ...(findPlanned(plannedWork, {}) === undefined ? [] : [whole]),
    ...targets.flatMap(({ target }) => (findPlanned(plannedWork, target) === undefined ? [] : [targetLabels(target)])),
  ];
}

/**
 * The metrics of the watched subnets in Prometheus's text format 0.0.4, from one snapshot, as plainly as can be: with nothing kept,
 * for comparison with the page that is.
 */
export function renderPlainly(
  snapshot: Snapshot,
  intervalSeconds: IntervalSeconds,
  toWall: (at: number) => number = (at) => at,
): string {
  let page = '';
  for (const { name, type, help, samples, isTime } of families) {
    let body = '';
    const add = (labels: string, value: number | undefined) => {
      if (value !== undefined) body += `${name}{${labels}} ${isTime ? toWall(value) / 1000 : value}\n`;
    };
    for (const sample of samples) {
      for (const subnet of snapshot) {
        if (sample.per === 'subnet') {
          const check = sample.check === undefined ? '' : `,check="${sample.check}"`;
          add(`subnet="${escapeLabel(subnet.subnet.name)}"${check}`, sample.value(subnet));
          continue;
        }
        if (sample.per === 'member') {
          for (const member of subnet.members ?? []) {
            add(`subnet="${escapeLabel(subnet.subnet.name)}",name="${escapeLabel(member.name)}"`, sample.value(member));
          }
          continue;
        }
        if (sample.per === 'masternode') {
          for (const masternode of subnet.epoch?.masternodes ?? []) {
            const { name, address } = masternode;
            // Two of them without a name would be one series.
            if (name === undefined && !sample.hasAddress) continue;
            add(
              `subnet="${escapeLabel(subnet.subnet.name)}",name="${escapeLabel(name ?? '')}"${sample.hasAddress ? `,address="${address}"` : ''}`,
              sample.value(masternode),
            );
          }
          continue;
        }
        if (sample.per === 'vote') {
          if (subnet.epoch === undefined) continue;
          for (const [vote, count] of countVotes(subnet.epoch.masternodes))
            add(`subnet="${escapeLabel(subnet.subnet.name)}",status="${vote}"`, sample.value(count));
          continue;
        }
        if (sample.per === 'problem') {
          for (const problem of subnet.problems.filter(isStanding))
            add(
              `subnet="${escapeLabel(subnet.subnet.name)}",component="${problem.component ?? ''}",name="${escapeLabel(problem.name ?? '')}",problem="${problem.problem}"`,
              sample.value(problem),
            );
          continue;
        }
        if (sample.per === 'work') {
          for (const labels of findCovered(subnet)) add(labels, sample.value());
          continue;
        }
        for (const state of subnet.targets) {
          const { target } = state;
          const labels = targetLabels(target);
          if (sample.per === 'list') {
            for (const { labels: own, value } of sample.values(state))
              add(`${sample.of === 'target' ? labels : subnetLabel(target.subnet)}${own}`, value);
          } else if (sample.per === 'target') add(labels, sample.value(state));
          else if (sample.per === 'failure') {
            for (const [failure, active] of Object.entries(state.failures))
              add(`${labels},failure="${failure}"`, sample.value(active));
          } else if (sample.per === 'check') {
            for (const check of state.checks) add(`${labels},check="${check.check}"`, sample.value(check));
          } else if (sample.per === 'interval') {
            for (const { check, round, verdict } of state.checks)
              if (verdict !== 'skipped') add(`${labels},check="${check}"`, intervalSeconds(target.subnet, round));
          } else if (target.component === 'node')
            add(
              `${subnetLabel(target.subnet)},name="${escapeLabel(target.name)}"${sample.block ? `,block="${sample.block}"` : ''}`,
              sample.value(state),
            );
        }
      }
    }
    if (body !== '') page += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${body}`;
  }
  return page;
}
