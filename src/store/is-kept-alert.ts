import { isRecord } from '../lib/record.ts';
import type { TrackedAlert } from '../tell/alerts/tracked-alert.ts';
import type { NotifiedGroup } from '../tell/notify/notified-alert.ts';

/** The farthest time that a `Date` can hold, in milliseconds. Another one has no text, so it cannot be sent. */
const MOST_MS = 8.64e15;

const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= MOST_MS;
const isOptional = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);
const isDetails = (value: unknown): boolean =>
  isRecord(value) && [value.summary, value.evidence, value.fix].every(isText);
const isPlan = (value: unknown): boolean => isRecord(value) && isText(value.reason) && isTime(value.until);

/** Whether a value of the database is a tracked alert. One that is none would end the judging of all. */
export const isTrackedAlert = (value: unknown): value is TrackedAlert =>
  isRecord(value) &&
  isTexts(value.labels) &&
  isTexts(value.annotations) &&
  isOptional(value.details, isDetails) &&
  isOptional(value.planned, isPlan) &&
  ['pending', 'firing', 'resolved'].some((phase) => phase === value.phase) &&
  [value.activeAt, value.seenAt].every(isTime) &&
  [value.firedAt, value.clearSince, value.resolvedAt].every((time) => isOptional(time, isTime)) &&
  typeof value.keepFiringForMs === 'number';

const isNotifiedAlert = (value: unknown): boolean =>
  isRecord(value) &&
  isTexts(value.labels) &&
  isTexts(value.annotations) &&
  isOptional(value.details, isDetails) &&
  isTime(value.startsAt) &&
  [value.seenAt, value.endsAt].every((time) => isOptional(time, isTime));

/** Whether a value of the database is a group of which a channel was notified. */
export const isNotifiedGroup = (value: unknown): value is NotifiedGroup =>
  isRecord(value) &&
  [value.channel, value.group, value.thread].every(isText) &&
  isTime(value.sentAt) &&
  isRecord(value.alerts) &&
  Object.values(value.alerts).every(isNotifiedAlert);
