import { setImmediate } from 'node:timers/promises';
import type { Clock, WallMs, WatchedMs } from '../../lib/clock.ts';
import { listNames } from '../../lib/words.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { families } from './families.ts';
import type { Family } from './family.ts';
import { gzipPieces, joinPieces, type Piece, toPiece } from './page-pieces.ts';
import { type Columns, createPageText, parts, type View } from './page-text.ts';
import { describeFamily, END, type ExpositionFormat } from './text-formats.ts';

/** What a scraper wants of `/metrics`. */
export interface ScrapeRequest {
  readonly format: ExpositionFormat;
  readonly isGzip: boolean;
  /** The series of these subnets alone, without those of subnetd itself; all when there is none. */
  readonly subnets: readonly string[];
}

/** The page of metrics in chunks, or what is wrong with the request. */
export type ScrapeAnswer =
  | { readonly kind: 'page'; readonly chunks: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly kind: 'unknown'; readonly error: string };

/** Answers scrapers of `/metrics`. */
export type Scrapes = ReturnType<typeof createScrapes>;

/** What a page is made of. */
export interface ScrapesOptions {
  readonly snapshot: () => Snapshot;
  readonly intervalMs: View['intervalMs'];
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  /** The samples of subnetd itself. */
  readonly renderOwn: (format: ExpositionFormat) => Promise<string>;
}

interface Page {
  readonly columns: Columns;
  /** Of its subnets. */
  readonly names: ReadonlySet<string>;
}

/** So long one thing runs before probes have their turn. */
const TURN_MS = 2;

/** Runs steps, of a millisecond or so each, to their end. Every few milliseconds the event loop has its turn. */
export async function runInTurns<T>(steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}

const describeFamilies = (format: ExpositionFormat): ReadonlyMap<Family, Piece> =>
  new Map(families.map((family) => [family, toPiece(describeFamily(family, format))]));

/** Creates the answers, which keep every sample and write again only what has changed. */
export function createScrapes({ snapshot, intervalMs, clock, renderOwn }: ScrapesOptions) {
  const view: View = { intervalMs, toWall: clock.toWall };
  const descriptions = { text: describeFamilies('text'), openmetrics: describeFamilies('openmetrics') };
  let text = createPageText();
  /** The answers that are being made of a page. The next page is written over it, so it waits for them. */
  const answering = new Set<Promise<ScrapeAnswer>>();
  let current: Promise<Page> | undefined;
  let askedAt: WatchedMs | undefined;

  function* render(): Generator<void, Page> {
    const own = text;
    // After a page that broke, nothing is known.
    text = createPageText();
    const subnets = snapshot();
    const columns = yield* own.render(subnets, view);
    text = own;
    return { columns, names: new Set(subnets.map(({ subnet }) => subnet.name)) };
  }

  /** The page that is being rendered, for whoever scrapes meanwhile, or a new one. */
  const share = (): Promise<Page> => {
    if (current === undefined) {
      const end = () => {
        current = undefined;
      };
      current = Promise.allSettled(answering).then(() => runInTurns(render()));
      current.then(end, end);
    }
    return current;
  };

  /** The pieces of a page, in its order. */
  function* read({ columns }: Page, { format, subnets }: ScrapeRequest, own: string): Generator<Piece> {
    let described: Family | undefined;
    for (const [place, { family }] of parts.entries()) {
      const column = columns[place];
      for (const piece of (subnets.length === 0 ? column?.pieces : column?.ofSubnets(subnets)) ?? []) {
        if (family !== described) yield descriptions[format].get(family) as Piece;
        described = family;
        yield piece;
      }
    }
    yield toPiece(`${own}${END[format]}`);
  }

  const answerOf = async (request: ScrapeRequest, own: string): Promise<ScrapeAnswer> => {
    const { isGzip, subnets } = request;
    const page = await share();
    const unknown = subnets.find((subnet) => !page.names.has(subnet));
    if (unknown !== undefined) {
      const advice =
        page.names.size === 0 ? 'none is watched here' : `ask for one of: ${listNames([...page.names], 10)}`;
      const error = `no subnet here is called ${JSON.stringify(unknown)}; ${advice}`;
      return { kind: 'unknown', error };
    }
    const pieces = read(page, request, own);
    return { kind: 'page', chunks: await runInTurns(isGzip ? gzipPieces(pieces) : joinPieces(pieces)) };
  };

  return {
    /** When somebody last asked; undefined before. */
    lastAt: (): WallMs | undefined => (askedAt === undefined ? undefined : clock.toWall(askedAt)),
    /** The page is of one moment. It rejects for a bug only. */
    answer: async (request: ScrapeRequest): Promise<ScrapeAnswer> => {
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
