/** So often it is reported at most that lines of one log were lost. */
const EVERY_MS = 600_000;

/** Takes each loss, and reports the first and then one each ten minutes at most, with how many there were since. */
export function createLostReport(
  now: () => number,
  report: (after: string, times: number) => void,
): (after: string) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let times = 0;
  return (after) => {
    times++;
    if (now() - reportedAt < EVERY_MS) return;
    reportedAt = now();
    report(after, times);
    times = 0;
  };
}
