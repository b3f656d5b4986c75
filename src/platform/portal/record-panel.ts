import type { Html } from '../../web/frame/marks.ts';
import type { Failure, Outcome } from '../api/outcome.ts';
import type { ApiRecord } from '../model/resource.ts';
import type { Visit } from './visit.ts';

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
