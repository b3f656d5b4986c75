import type { Snapshot } from '../../src/model/snapshot.ts';
import type { RoundName } from '../../src/model/target.ts';
import { families } from '../../src/tell/metrics/families.ts';
import type { Piece } from '../../src/tell/metrics/page-pieces.ts';
import { createPageText, parts } from '../../src/tell/metrics/page-text.ts';
import { describeFamily } from '../../src/tell/metrics/text-formats.ts';

type IntervalSeconds = (subnet: string, round: RoundName) => number | undefined;

/** Takes all steps, and returns what they came to. */
export function finish<T>(steps: Iterator<void, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Reads pieces, each of which must have the text that it had before: what is compressed is kept with its piece. */
function createPieceReader() {
  const known = new WeakMap<Piece, string>();
  return (piece: Piece): string => {
    const text = piece.text();
    if (text !== (known.get(piece) ?? text)) throw new Error('the text of a piece has changed');
    known.set(piece, text);
    return text;
  };
}

/** A page of metrics of the watched subnets that renews what it kept of the one before, in the text format. */
export function createPage(intervalSeconds: IntervalSeconds, toWall: (at: number) => number = (at) => at) {
  const page = createPageText();
  const read = createPieceReader();
  const intervalMs: IntervalSeconds = (subnet, round) => {
    const seconds = intervalSeconds(subnet, round);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  return (snapshot: Snapshot): string => {
    const columns = finish(page.render(snapshot, { intervalMs, toWall }));
    return families
      .map((family) => {
        const text = parts
          .flatMap((part, place) => (part.family === family ? (columns[place]?.pieces.map(read) ?? []) : []))
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
