/** About what a file takes that has no time of its own here. */
const USUAL_SECONDS = 3;

/** How many workers take the files that mostly wait, from the longest or from the shortest on, and how many the others. */
export interface Workers {
  readonly longest: number;
  readonly shortest: number;
  readonly others: number;
}

/**
 * The order in which files start. Some workers are always in files that mostly wait, and the others meanwhile use the processors.
 * Without it the waiting ones would be together, at the start or at the end. A file that waits for a short time needs much more of a
 * processor than one that waits long. So some workers begin with the shortest: else processors are idle first, and too few later.
 */
export function mixWaiting<File>(
  files: readonly File[],
  secondsOf: (file: File) => number | undefined,
  workers: Workers,
): readonly File[] {
  const others = files.filter((file) => secondsOf(file) === undefined);
  const waiting = files
    .filter((file) => secondsOf(file) !== undefined)
    .sort((a, b) => (secondsOf(b) ?? 0) - (secondsOf(a) ?? 0));
  const [takeLongest, takeShortest, takeOther] = [() => waiting.shift(), () => waiting.pop(), () => others.shift()];
  const lane = (own: () => File | undefined, rest: () => File | undefined) => ({ own, rest, freeAt: 0 });
  // When each worker is free, if all goes as expected.
  const lanes = [
    ...Array.from({ length: workers.longest }, () => lane(takeLongest, takeOther)),
    ...Array.from({ length: workers.shortest }, () => lane(takeShortest, takeOther)),
    ...Array.from({ length: workers.others }, () => lane(takeOther, takeLongest)),
  ];
  const order: File[] = [];
  while (order.length < files.length) {
    const free = lanes.reduce((first, one) => (one.freeAt < first.freeAt ? one : first));
    const file = free.own() ?? free.rest();
    if (file === undefined) break;
    free.freeAt += secondsOf(file) ?? USUAL_SECONDS;
    order.push(file);
  }
  return order;
}
