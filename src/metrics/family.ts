import type { SubnetState, TargetState } from '../model/snapshot.ts';
import type { CheckState } from '../model/verdict.ts';

/** A sample of a target with labels of its own, their values escaped. */
export interface ListSample {
  /** After the target's labels, as `,pattern="x"`; or all of them but `subnet`. */
  readonly labels: string;
  readonly of: 'target' | 'subnet';
  readonly value: number;
}

/** What the samples of one family are of. */
type Samples =
  | { readonly per: 'list'; readonly values: (state: TargetState) => readonly ListSample[] }
  | { readonly per: 'subnet'; readonly value: (state: SubnetState) => number | undefined }
  | { readonly per: 'node'; readonly block?: string; readonly value: (state: TargetState) => number | undefined }
  | { readonly per: 'target'; readonly value: (state: TargetState) => number | undefined }
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
  /** The names of its labels, where the kind of its samples does not tell them. */
  readonly labels?: string;
  readonly samples: readonly Samples[];
}

/** A family whose values are watched time. */
export const timeOf = (family: Family): Family => ({ ...family, isTime: true });
