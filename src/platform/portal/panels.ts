import type { Html } from '../../web/frame/marks.ts';
import type { Failure, Outcome } from '../api/outcome.ts';
import type { ApiRecord } from '../model/resource.ts';
import type { PortalAnswer, SignedInRoute, Visit } from './visit.ts';

/** The path of the account page. */
export const ACCOUNT_PATH = '/portal/account';

/** A form of a panel, and what it does. */
export interface AccountAction {
  /** Its path is this below `ACCOUNT_PATH`, and its form has this as its id. */
  readonly name: string;
  readonly isSensitive?: boolean;
  /** As of the route. */
  readonly withoutCode?: SignedInRoute['withoutCode'];
  /** A refusal shows the account page again, with the failure in the panel. */
  readonly run: (visit: Visit) => Promise<Outcome<PortalAnswer>>;
}

/** An action that was refused just now. */
export interface Refused {
  readonly name: string;
  readonly failure: Failure;
}

/** A panel of the account page. */
export interface AccountPanel {
  /** What was done, by the value of `done` in the address. */
  readonly notes: Readonly<Record<string, string>>;
  readonly actions: readonly AccountAction[];
  readonly show: (visit: Visit, refused: Refused | undefined) => Promise<Html>;
}

/** The address of an action's form. */
export const actionPath = (name: string): string => `${ACCOUNT_PATH}/${name}`;

/** The failure of an action, if it is that one which was refused. */
export const failureOf = (refused: Refused | undefined, name: string): Failure | undefined =>
  refused?.name === name ? refused.failure : undefined;

/** A form beside that of a record, and what it does. */
export interface RecordAction {
  /** Its path is this below that of the record. */
  readonly name: string;
  /** What was done, for the page of the record. */
  readonly done: string;
  /** A refusal shows the record again, with the failure in the panel. */
  readonly run: (visit: Visit, record: ApiRecord) => Promise<Outcome<unknown>>;
}

/** What the page of a record has besides its form and its trail. */
export interface RecordPanel {
  readonly actions: readonly RecordAction[];
  /** `path` is that of the record. `failure` is of an action that was refused just now. */
  readonly show: (visit: Visit, record: ApiRecord, path: string, failure: Failure | undefined) => Promise<Html>;
}
