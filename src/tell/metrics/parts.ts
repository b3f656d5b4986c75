import { findPlanned } from '../../model/planned-work.ts';
import { isStanding } from '../../model/problem.ts';
import { type Masternode, type SubnetState, type TargetState, VOTES, type Vote } from '../../model/snapshot.ts';
import type { RoundName, Target } from '../../model/target.ts';
import type { CheckState } from '../../model/verdict.ts';
import { escapeLabel, type Family, type Samples } from './family.ts';

/** The interval of a subnet's round, in seconds. */
export type IntervalSeconds = (subnet: string, round: RoundName) => number | undefined;

/** What a value can depend on beside the state that it is read from. */
export interface View {
  readonly intervalSeconds: IntervalSeconds;
  /** The clock's. */
  readonly toWall: (at: number) => number;
}

/** Takes the samples of a unit. The key tells them apart; one without a value is left out. */
export interface Rows {
  add(key: string, value: number | undefined): void;
}

/** The samples of a family that are read in one way from each unit: from each target, or from each subnet. */
export interface PartOf<Unit> {
  readonly family: Family;
  readonly read: (unit: Unit, rows: Rows, view: View) => void;
  /** The text between the braces. The same unit and key have the same labels at any time. */
  readonly labelsOf: (unit: Unit, key: string) => string;
}

export type TargetPart = PartOf<TargetState> & {
  readonly of: 'target';
  /** Where each sample is of a check that is not skipped: its value. The key is the name of the check. */
  readonly readCheck?: (check: CheckState, target: Target, view: View) => number | undefined;
};
export type SubnetPart = PartOf<SubnetState> & { readonly of: 'subnet' };
export type Part = TargetPart | SubnetPart;

const ofSubnet = (subnet: string): string => `subnet="${escapeLabel(subnet)}"`;

const ofNode = ({ subnet, name }: Target): string => `${ofSubnet(subnet)},name="${escapeLabel(name)}"`;

const ofTarget = ({ subnet, component, name }: Target): string =>
  `${ofSubnet(subnet)},component="${component}",name="${escapeLabel(name)}"`;

/** How many masternodes do what for the next block. */
function countVotes(masternodes: readonly Masternode[]): ReadonlyMap<Vote, number> {
  const counts = new Map<Vote, number>(VOTES.map((vote) => [vote, 0]));
  for (const { vote } of masternodes) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  return counts;
}

/** Adds the whole subnet and the targets that planned work covers. */
function addCovered({ targets, plannedWork = [] }: SubnetState, rows: Rows, value: number): void {
  if (plannedWork.length === 0) return;
  if (findPlanned(plannedWork, {}) !== undefined) rows.add(',component="",name=""', value);
  for (const { target } of targets)
    if (findPlanned(plannedWork, target) !== undefined)
      rows.add(`,component="${target.component}",name="${escapeLabel(target.name)}"`, value);
}

/** Of a subnet, whose keys are labels that follow its own. */
const subnetPart = (family: Family, read: SubnetPart['read']): SubnetPart => ({
  of: 'subnet',
  family,
  read,
  labelsOf: ({ subnet }, key) => `${ofSubnet(subnet.name)}${key}`,
});

/** Of a subnet, whose keys are names of nodes. */
const memberPart = (family: Family, read: SubnetPart['read']): SubnetPart => ({
  of: 'subnet',
  family,
  read,
  labelsOf: ({ subnet }, name) => `${ofSubnet(subnet.name)},name="${escapeLabel(name)}"`,
});

/** Of a target, whose keys are labels that follow its own. */
const targetPart = (family: Family, labels: (target: Target) => string, read: TargetPart['read']): TargetPart => ({
  of: 'target',
  family,
  read,
  labelsOf: ({ target }, key) => `${labels(target)}${key}`,
});

/** Of a target, whose keys are values of one more label. */
const namedPart = (family: Family, label: string, read: TargetPart['read']): TargetPart => ({
  of: 'target',
  family,
  read,
  labelsOf: ({ target }, key) => `${ofTarget(target)},${label}="${key}"`,
});

const checkPart = (family: Family, readCheck: NonNullable<TargetPart['readCheck']>): TargetPart => ({
  ...namedPart(family, 'check', ({ target, checks }, rows, view) => {
    for (const check of checks) if (check.verdict !== 'skipped') rows.add(check.check, readCheck(check, target, view));
  }),
  readCheck,
});

const toUnixSeconds = (at: number | undefined, { toWall }: View) => (at === undefined ? at : toWall(at) / 1000);
const asIs = (value: number | undefined) => value;

function toPart(family: Family, sample: Samples): Part {
  const toShown = family.isTime ? toUnixSeconds : asIs;
  switch (sample.per) {
    case 'target':
      return targetPart(family, ofTarget, (state, rows, view) => rows.add('', toShown(sample.value(state), view)));
    case 'node': {
      const key = sample.block === undefined ? '' : `,block="${sample.block}"`;
      return targetPart(family, ofNode, (state, rows, view) => {
        if (state.target.component === 'node') rows.add(key, toShown(sample.value(state), view));
      });
    }
    case 'check':
      return checkPart(family, family.isTime ? (check, _, view) => toShown(sample.value(check), view) : sample.value);
    case 'interval':
      return checkPart(family, ({ round }, { subnet }, { intervalSeconds }) => intervalSeconds(subnet, round));
    case 'failure':
      return namedPart(family, 'failure', ({ failures }, rows) => {
        for (const failure in failures) rows.add(failure, sample.value(failures[failure] === true));
      });
    case 'list':
      return targetPart(
        family,
        sample.of === 'target' ? ofTarget : ({ subnet }) => ofSubnet(subnet),
        (state, rows, view) => {
          for (const { labels, value } of sample.values(state)) rows.add(labels, toShown(value, view));
        },
      );
    case 'subnet': {
      const key = sample.check === undefined ? '' : `,check="${sample.check}"`;
      return subnetPart(family, (state, rows, view) => rows.add(key, toShown(sample.value(state), view)));
    }
    case 'member':
      return memberPart(family, ({ members = [] }, rows) => {
        for (const member of members) rows.add(member.name, sample.value(member));
      });
    case 'masternode':
      if (sample.hasAddress)
        return subnetPart(family, ({ epoch }, rows) => {
          for (const masternode of epoch?.masternodes ?? []) {
            const { name = '', address } = masternode;
            rows.add(`,name="${escapeLabel(name)}",address="${address}"`, sample.value(masternode));
          }
        });
      return memberPart(family, ({ epoch }, rows) => {
        // Two of them without a name would be one series.
        for (const masternode of epoch?.masternodes ?? [])
          if (masternode.name !== undefined) rows.add(masternode.name, sample.value(masternode));
      });
    case 'vote':
      return subnetPart(family, ({ epoch }, rows) => {
        if (epoch === undefined) return;
        for (const [vote, count] of countVotes(epoch.masternodes)) rows.add(`,status="${vote}"`, sample.value(count));
      });
    case 'problem':
      return subnetPart(family, ({ problems }, rows) => {
        for (const problem of problems.filter(isStanding))
          rows.add(
            `,component="${problem.component ?? ''}",name="${escapeLabel(problem.name ?? '')}",problem="${problem.problem}"`,
            sample.value(problem),
          );
      });
    case 'work':
      return subnetPart(family, (state, rows) => addCovered(state, rows, sample.value()));
  }
}

/** The parts of families, in the order of the page. */
export const toParts = (families: readonly Family[]): readonly Part[] =>
  families.flatMap((family) => family.samples.map((sample) => toPart(family, sample)));
