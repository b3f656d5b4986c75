import type { Author } from '../model/author.ts';
import type { IdentifiedRequest } from './request-context.ts';

/** The author of a change that a request makes; `statedBy` is the admin user in its body. `now` is in Unix milliseconds. */
export const authorOf = (
  { context, caller }: Pick<IdentifiedRequest, 'context' | 'caller'>,
  statedBy: number | null,
  now: number,
): Author => ({
  statedBy,
  owner: caller?.owner ?? null,
  credential: caller?.credential ?? '',
  at: new Date(now).toISOString(),
  ip: context.address === '' ? null : context.address,
  requestId: context.requestId,
});
