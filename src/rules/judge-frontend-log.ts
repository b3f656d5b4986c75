import { formatDuration } from '../model/duration.ts';
import type { ServiceTarget } from '../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../model/verdict.ts';
import { findLogFault, findSourceFault } from './find-log-fault.ts';
import type { View } from './view.ts';

/** Is the log of the frontend free of errors? */
export function judgeFrontendLog({ target, facts: { logs }, settings, now }: View<ServiceTarget>): Judgement {
  const { errorWindowMs } = settings.logs;
  if (logs === undefined) return unknown('the log of the frontend has not been checked yet');
  const fault = findLogFault(logs, target, errorWindowMs, now);
  if (fault !== undefined) return fail(fault);
  const unread = findSourceFault(logs);
  if (unread !== undefined) return unknown(`the log of the frontend cannot be read: ${unread}`);
  return pass(`the log of the frontend has shown no error for ${formatDuration(errorWindowMs)}`);
}
