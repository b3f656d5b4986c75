import { formatDuration } from '../../lib/duration.ts';
import type { ServiceTarget } from '../../model/target.ts';
import { type Judgement, pass, unknown } from '../../model/verdict.ts';
import { findLogFault, judgeUnread } from './find-log-fault.ts';
import type { View } from './view.ts';

/** Is the log of the frontend free of errors? */
export function judgeFrontendLog({ target, facts: { logs }, settings, now }: View<ServiceTarget>): Judgement {
  const { errorWindowMs } = settings.logs;
  if (logs === undefined) return unknown('the log of the frontend has not been checked yet');
  const fault = findLogFault(logs, target, errorWindowMs, now);
  if (fault !== undefined) return { verdict: 'fail', ...fault };
  const unread = judgeUnread(logs, 'the log of the frontend');
  if (unread !== undefined) return unread;
  return pass(`the log of the frontend has shown no error for ${formatDuration(errorWindowMs)}`);
}
