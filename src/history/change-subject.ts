import type { HistoryChange } from '../model/history.ts';

/** What a change is about. */
export type Subject = Pick<HistoryChange, 'subnet' | 'component' | 'name' | 'kind' | 'what'>;

/** The longest reason that is kept, in characters. */
const LONGEST = 500;

/** The reason of a change as it is stored. PostgreSQL stores no zero byte. */
export const toReason = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST);
