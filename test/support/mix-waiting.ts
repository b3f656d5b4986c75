/** About what a file takes that has no time of its own here. */
const USUAL_SECONDS = 3;

/**
 * The order in which files start: of so many workers some are always in files that mostly wait, the longest first, and the
 * others meanwhile use the processors. Without it the waiting ones would be together, at the start or at the end.
 */
export function mixWaiting<File>(
  files: readonly File[],
  secondsOf: (file: File) => number | undefined,
  workers: { readonly waiting: number; readonly others: number },
): readonly File[] {
  const others = files.filter((file) => secondsOf(file) === undefined);
  const waiting = files
    .filter((file) => secondsOf(file) !== undefined)
    .sort((a, b) => (secondsOf(b) ?? 0) - (secondsOf(a) ?? 0));
  // When each worker is free, if all goes as expected.
  const lanes = [
    ...Array.from({ length: workers.waiting }, () => ({ own: waiting, rest: others, freeAt: 0 })),
    ...Array.from({ length: workers.others }, () => ({ own: others, rest: waiting, freeAt: 0 })),
  ];
  const order: File[] = [];
  while (order.length < files.length) {
    const lane = lanes.reduce((first, one) => (one.freeAt < first.freeAt ? one : first));
    const file = (lane.own.length > 0 ? lane.own : lane.rest).shift();
    if (file === undefined) break;
    lane.freeAt += secondsOf(file) ?? USUAL_SECONDS;
    order.push(file);
  }
  return order;
}
