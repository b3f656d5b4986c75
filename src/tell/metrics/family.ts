import type { Facts } from '../../model/facts.ts';
import type { Problem } from '../../model/problem.ts';
import type { Masternode, Member, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { CheckName, CheckState } from '../../model/verdict.ts';

/** A sample with labels of its own, their values escaped. */
export interface ListSample {
  /** These follow the labels of the target or of the subnet, as `,pattern="x"`. */
  readonly labels: string;
  readonly value: number;
}

/** What each sample of a family belongs to. */
export type Samples =
  /** Of a target, with its labels or with that of its subnet alone. */
  | {
      readonly per: 'list';
      readonly of: 'target' | 'subnet';
      readonly values: (state: TargetState) => readonly ListSample[];
    }
  | { readonly per: 'member'; readonly value: (member: Member) => number | undefined }
  /** Of each in the inventory, or with the address as a label of all. */
  | {
      readonly per: 'masternode';
      readonly hasAddress?: true;
      readonly value: (masternode: Masternode) => number | undefined;
    }
  | { readonly per: 'vote'; readonly value: (count: number) => number | undefined }
  | { readonly per: 'subnet'; readonly check?: CheckName; readonly value: (state: SubnetState) => number | undefined }
  | { readonly per: 'node'; readonly block?: string; readonly value: (state: TargetState) => number | undefined }
  | { readonly per: 'target'; readonly value: (state: TargetState) => number | undefined }
  | { readonly per: 'problem'; readonly value: (problem: Problem) => number | undefined }
  | { readonly per: 'work'; readonly value: () => number }
  | { readonly per: 'failure'; readonly value: (active: boolean) => number | undefined }
  | { readonly per: 'check'; readonly value: (check: CheckState) => number | undefined }
  /** The interval of each check that is not skipped. */
  | { readonly per: 'interval' };

/** One metric of the watched subnets; a sample whose value is undefined is left out. */
export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** Its values are watched time, and become Unix seconds on the page. */
  readonly isTime?: true;
  /** The facts that its samples are read from: a target without them has none. */
  readonly from?: keyof Facts;
  /** The names of its labels, if the kind of its samples does not imply them. */
  readonly labels?: string;
  readonly samples: readonly Samples[];
}

/** Families whose samples are read from these facts. */
export const familiesFrom = (from: keyof Facts, families: readonly Family[]): readonly Family[] =>
  families.map((family) => ({ ...family, from }));

/** A family whose values are watched time. */
export const timeOf = (family: Family): Family => ({ ...family, isTime: true });

const NEEDS_ESCAPE = /[\\\n"]/;

/** A label's value, escaped for the quotes of both text formats. Most need nothing. */
export const escapeLabel = (value: string): string =>
  NEEDS_ESCAPE.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"') : value;

/** A yes as 1 and a no as 0. */
export const bit = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
