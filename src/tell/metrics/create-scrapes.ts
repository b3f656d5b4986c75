import type { Clock, WallMs, WatchedMs } from '../../lib/clock.ts';
import { listNames } from '../../lib/words.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { RoundName } from '../../model/target.ts';
import { type Block, createBlocks } from './create-blocks.ts';
import type { ExpositionFormat, ScrapeAnswer, ScrapeRequest } from './exposition.ts';
import { families } from './families.ts';
import { gzipPieces, joinPieces, type Piece } from './gzip-pieces.ts';
import { type Part, toParts, type View } from './parts.ts';
import { runInTurns } from './run-in-turns.ts';
import { type Section, sliceSection } from './section.ts';
import { describeFamily, END } from './text-formats.ts';

/** Answers scrapers of `/metrics`. */
export interface Scrapes {
  /** The page is of one moment. It rejects for a bug only. */
  answer(request: ScrapeRequest): Promise<ScrapeAnswer>;
  /** When somebody last asked; undefined before. */
  lastAt(): WallMs | undefined;
}

/** What a page is made of. */
export interface ScrapesOptions {
  readonly snapshot: () => Snapshot;
  readonly intervalMs: (subnet: string, round: RoundName) => number | undefined;
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  /** The samples of subnetd itself. */
  readonly renderOwn: (format: ExpositionFormat) => Promise<string>;
}

const parts = toParts(families);

const toPiece = (text: string): Piece => ({ bytes: Buffer.from(text), packed: undefined });

/** What stands before the samples of each part's family: the same piece for all parts of one family. */
const describeParts = (format: ExpositionFormat): readonly Piece[] => {
  const byFamily = new Map(families.map((family) => [family, toPiece(describeFamily(family, format))]));
  return parts.map(({ family }) => byFamily.get(family) as Piece);
};

/** The pieces of a section that are of these subnets. */
function pickSubnets(
  section: Section,
  of: Part['of'],
  { targets, slices }: Block['units'],
  subnets: ReadonlySet<string>,
): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const { subnet, subnetPlace, from, to } of slices) {
    if (!subnets.has(subnet)) continue;
    if (of === 'target' && from === 0 && to === targets.length) return [section.piece];
    const place = subnetPlace ?? 0;
    const bytes =
      of === 'target'
        ? sliceSection(section, from, to)
        : sliceSection(section, place, subnetPlace === undefined ? place : place + 1);
    if (bytes.length > 0) pieces.push({ bytes, packed: undefined });
  }
  return pieces;
}

/** Creates the answers, which keep the text of all targets and write again only what has changed. */
export function createScrapes({ snapshot, intervalMs, clock, renderOwn }: ScrapesOptions): Scrapes {
  const view: View = {
    toWall: clock.toWall,
    intervalSeconds: (subnet, round) => {
      const ms = intervalMs(subnet, round);
      return ms === undefined ? undefined : ms / 1000;
    },
  };
  const descriptions = { text: describeParts('text'), openmetrics: describeParts('openmetrics') };
  const blocks = createBlocks(parts, view);
  let current: Promise<readonly Block[]> | undefined;
  /** The answers that are made of rendered pages. The next page is written over the last one, so it waits for them. */
  const answering = new Set<Promise<ScrapeAnswer>>();
  let askedAt: WatchedMs | undefined;

  /** The page that is being rendered, for whoever scrapes meanwhile, or a new one. */
  const share = (): Promise<readonly Block[]> => {
    if (current === undefined) {
      const end = () => {
        current = undefined;
      };
      current = Promise.allSettled(answering).then(() => runInTurns(blocks.render(snapshot())));
      current.then(end, end);
    }
    return current;
  };

  /** The pieces of a page, in its order. */
  function* read(page: readonly Block[], { format, subnets }: ScrapeRequest, own: string): Generator<Piece> {
    const wanted = subnets.length === 0 ? undefined : new Set(subnets);
    let described: Piece | undefined;
    for (const [place, { of }] of parts.entries())
      for (const { units, sections } of page) {
        const section = sections[place] as Section;
        if (section.piece.bytes.length === 0) continue;
        const found = wanted === undefined ? [section.piece] : pickSubnets(section, of, units, wanted);
        if (found.length === 0) continue;
        const description = descriptions[format][place] as Piece;
        if (description !== described) yield description;
        described = description;
        yield* found;
      }
    yield toPiece(`${own}${END[format]}`);
  }

  const answerOf = async (request: ScrapeRequest, own: string): Promise<ScrapeAnswer> => {
    const { isGzip, subnets } = request;
    const page = await share();
    const names = page.flatMap(({ units }) => units.subnets.map(({ subnet }) => subnet.name));
    const unknown = subnets.find((subnet) => !names.includes(subnet));
    if (unknown !== undefined) {
      const advice = names.length === 0 ? 'none is watched here' : `ask for one of: ${listNames(names, 10)}`;
      const error = `no subnet here is called ${JSON.stringify(unknown)}; ${advice}`;
      return { kind: 'unknown', error };
    }
    const pieces = read(page, request, own);
    return { kind: 'page', chunks: await runInTurns(isGzip ? gzipPieces(pieces) : joinPieces(pieces)) };
  };

  return {
    lastAt: () => (askedAt === undefined ? undefined : clock.toWall(askedAt)),
    answer: async (request) => {
      askedAt = clock.now();
      const own = request.subnets.length === 0 ? await renderOwn(request.format) : '';
      const answer = answerOf(request, own);
      const end = () => answering.delete(answer);
      answering.add(answer);
      answer.then(end, end);
      return answer;
    },
  };
}
