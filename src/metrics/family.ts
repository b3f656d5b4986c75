import type { Problem } from '../model/problem.ts';
import type { Masternode, Member, SubnetState, TargetState } from '../model/snapshot.ts';
import type { CheckName, CheckState } from '../model/verdict.ts';

/** A sample with labels of its own, their values escaped. */
export interface ListSample {
  /** These follow the target's labels, as `,pattern="x"`; or the label `subnet`. */
  readonly labels: string;
  readonly of: 'target' | 'subnet';
  readonly value: number;
}

/** What each sample of a family belongs to. */
type Samples =
  | { readonly per: 'list'; readonly values: (state: TargetState) => readonly ListSample[] }
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
  | {
      readonly per: 'check';
      readonly value: (check: CheckState, intervalSeconds: number | undefined) => number | undefined;
    };

/** One metric of the watched subnets; a sample whose value is undefined is left out. */
export interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** Its values are watched time, and become Unix seconds on the page. */
  readonly isTime?: true;
  /** The names of its labels, if the kind of its samples does not imply them. */
  readonly labels?: string;
  readonly samples: readonly Samples[];
}

/** A family whose values are watched time. */
export const timeOf = (family: Family): Family => ({ ...family, isTime: true });

/** A label's value, escaped for the quotes of Prometheus's text format. */
export const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

/** A yes as 1 and a no as 0. */
export const bit = (value: boolean | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
