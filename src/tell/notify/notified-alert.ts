import type { AlertAnnotations, AlertDetails, AlertLabels } from '../alerts/tracked-alert.ts';

/** How an alert has ended. */
export interface AlertEnd {
  /** When it was found to be over, in wall time. */
  readonly endsAt?: number;
  /** What was seen last of it, which may not have been sent. */
  readonly endedAs?:
    | {
        readonly details: AlertDetails;
        readonly seenAt: number;
        /** Since when it was seen to be over, where that is known better than by when it was last seen. */
        readonly overAt?: number | undefined;
      }
    | undefined;
}

/** An alert that a channel has been notified of, and not yet of its end. Times are wall time. */
export interface NotifiedAlert extends AlertEnd {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly details?: AlertDetails | undefined;
  readonly startsAt: number;
  /** When the evidence in `details` was seen. Absent in what an earlier version has stored. */
  readonly seenAt?: number;
  /** In the last message it was clearing, so that there was nothing to do. */
  readonly wasClearing?: true | undefined;
  /** When a new cause of it was sent last, and the causes that were sent before that. */
  readonly renewedAt?: number;
  readonly toldCauses?: readonly string[];
  /** Who has acknowledged it, once the channel was notified of that. */
  readonly acknowledgedBy?: string;
}

/** What a channel has been notified of in one group. Times are wall time. */
export interface NotifiedGroup {
  readonly channel: string;
  /** A subnet, or empty for subnetd itself. */
  readonly group: string;
  /** By the key of the alert. Empty soon after the last alert has ended. */
  readonly alerts: Readonly<Record<string, NotifiedAlert>>;
  readonly sentAt: number;
  /** When the last message with a new warning, with a new alert that pages, or with another cause of one, was sent. */
  readonly begunAt?: number;
  /** The id of the first message since no alert of the group fired. */
  readonly thread: string;
}

/** By channel and group. */
export type NotifiedGroups = ReadonlyMap<string, NotifiedGroup>;

/** The key of a group of a channel. */
export const groupKey = ({ channel, group }: Pick<NotifiedGroup, 'channel' | 'group'>): string =>
  JSON.stringify([channel, group]);

/** Keeps what channels have been notified of across restarts. Every function rejects when the database fails. */
export interface NotifiedStore {
  load(): Promise<readonly NotifiedGroup[]>;
  save(changed: NotifiedGroups, gone: readonly string[]): Promise<void>;
}
