import type { Snapshot } from '../../src/model/snapshot.ts';
import type { RoundName } from '../../src/model/target.ts';
import { families } from '../../src/tell/metrics/families.ts';
import { createPageText, parts } from '../../src/tell/metrics/page-text.ts';
import { describeFamily } from '../../src/tell/metrics/text-formats.ts';

type IntervalSeconds = (subnet: string, round: RoundName) => number | undefined;

/** Takes all steps, and returns what they came to. */
export function finish<T>(steps: Iterator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** A page of metrics of the watched subnets that renews what it kept of the one before, in the text format. */
export function createPage(intervalSeconds: IntervalSeconds, toWall: (at: number) => number = (at) => at) {
  const page = createPageText();
  const intervalMs: IntervalSeconds = (subnet, round) => {
    const seconds = intervalSeconds(subnet, round);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  return (snapshot: Snapshot): string => {
    const columns = finish(page.render(snapshot, { intervalMs, toWall }));
    return families
      .map((family) => {
        const text = parts
          .flatMap((part, place) =>
            part.family === family ? (columns[place]?.pieces.map((piece) => piece.text()) ?? []) : [],
          )
          .join('');
        return text === '' ? '' : describeFamily(family, 'text') + text;
      })
      .join('');
  };
}

/** The page of one snapshot, written from nothing. */
export const renderPage = (
  snapshot: Snapshot,
  intervalSeconds: IntervalSeconds,
  toWall?: (at: number) => number,
): string => createPage(intervalSeconds, toWall)(snapshot);
