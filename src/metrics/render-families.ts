import { findPlanned } from '../model/planned-work.ts';
import { isStanding } from '../model/problem.ts';
import { type Masternode, type Snapshot, type SubnetState, VOTES, type Vote } from '../model/snapshot.ts';
import type { RoundName, Target } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';
import { families } from './families.ts';
import { escapeLabel } from './family.ts';

/** The interval of a subnet's round, in seconds. */
export type IntervalSeconds = (subnet: string, round: RoundName) => number | undefined;

/** The label sets of one target. They are most of a page, so each is made once. */
interface LabelSets {
  readonly node: string;
  readonly target: string;
  readonly checks: Partial<Record<CheckName, string>>;
}

const labelSets = new WeakMap<Target, LabelSets>();

function getLabelSets(target: Target): LabelSets {
  const known = labelSets.get(target);
  if (known) return known;
  const subnet = `subnet="${escapeLabel(target.subnet)}"`;
  const name = `name="${escapeLabel(target.name)}"`;
  const sets = { node: `${subnet},${name}`, target: `${subnet},component="${target.component}",${name}`, checks: {} };
  labelSets.set(target, sets);
  return sets;
}

function getCheckLabels(sets: LabelSets, check: CheckName): string {
  const labels = sets.checks[check] ?? `${sets.target},check="${check}"`;
  sets.checks[check] = labels;
  return labels;
}

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
    ...targets.flatMap(({ target }) =>
      findPlanned(plannedWork, target) === undefined ? [] : [getLabelSets(target).target],
    ),
  ];
}

/**
 * The metrics of the watched subnets in Prometheus's text format 0.0.4, from one snapshot: a target that is not in it
 * has no series. A family without samples is left out. `toWall` is the clock's.
 */
export function renderFamilies(
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
          const sets = getLabelSets(state.target);
          if (sample.per === 'list') {
            for (const { labels, of, value } of sample.values(state))
              add(`${of === 'target' ? sets.target : `subnet="${escapeLabel(state.target.subnet)}"`}${labels}`, value);
          } else if (sample.per === 'target') add(sets.target, sample.value(state));
          else if (sample.per === 'failure') {
            for (const [failure, active] of Object.entries(state.failures))
              add(`${sets.target},failure="${failure}"`, sample.value(active));
          } else if (sample.per === 'check') {
            for (const check of state.checks)
              add(
                getCheckLabels(sets, check.check),
                sample.value(check, intervalSeconds(subnet.subnet.name, check.round)),
              );
          } else if (state.target.component === 'node')
            add(sample.block ? `${sets.node},block="${sample.block}"` : sets.node, sample.value(state));
        }
      }
    }
    if (body !== '') page += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${body}`;
  }
  return page;
}
