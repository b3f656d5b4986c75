/** The shortest time between two reports of lost lines of one log. */
const EVERY_MS = 600_000;

/** Reports the first loss, and then at most one every ten minutes, with the number of losses in between. */
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
