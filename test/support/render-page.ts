import type { Snapshot } from '../../src/model/snapshot.ts';
import { createBlocks } from '../../src/tell/metrics/create-blocks.ts';
import { families } from '../../src/tell/metrics/families.ts';
import { type IntervalSeconds, toParts } from '../../src/tell/metrics/parts.ts';
import { describeFamily } from '../../src/tell/metrics/text-formats.ts';

/** A page of metrics of the watched subnets that renews what it kept of the one before, in the text format. */
export function createPage(
  intervalSeconds: IntervalSeconds,
  toWall: (at: number) => number = (at) => at,
  blockTargets?: number,
) {
  const parts = toParts(families);
  const blocks = createBlocks(parts, { intervalSeconds, toWall }, blockTargets);
  return (snapshot: Snapshot): string => {
    const steps = blocks.render(snapshot);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const page = step.value;
    const textOf = (place: number) => page.map(({ sections }) => sections[place]?.piece.bytes.toString()).join('');
    return families
      .map((family) => {
        const text = parts.map((part, place) => (part.family === family ? textOf(place) : '')).join('');
        return text === '' ? '' : describeFamily(family, 'text') + text;
      })
      .join('');
  };
}

/** The page of one snapshot. */
export const renderPage = (
  snapshot: Snapshot,
  intervalSeconds: IntervalSeconds,
  toWall?: (at: number) => number,
): string => createPage(intervalSeconds, toWall)(snapshot);
