import type { Context } from 'hono';
import type { ScrapeAnswer, ScrapeRequest } from '../model/exposition.ts';
import { acceptsGzip } from './cached-text.ts';
import { negotiateFormat } from './negotiate-format.ts';

type Chunk = Uint8Array<ArrayBuffer>;

/** Chunks that were taken from an iterator already, and the rest. */
async function* withFirst(first: readonly Chunk[], rest: AsyncIterator<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    // The scraper may have gone.
    await rest.return?.();
  }
}

/** `/metrics`. A page of one chunk has a length; a longer one is rendered first, and then sent in chunks. */
export const answerMetrics =
  (scrape: (request: ScrapeRequest) => Promise<ScrapeAnswer>) =>
  async (c: Context): Promise<Response> => {
    const { format, type } = negotiateFormat(c.req.header('accept'));
    const isGzip = acceptsGzip(c);
    const answer = await scrape({ format, isGzip, subnets: c.req.queries('subnet') ?? [] });
    if (answer.kind === 'unknown') return c.text(`${answer.error}\n`, 404);
    c.header('Content-Type', type);
    c.header('Vary', 'Accept, Accept-Encoding');
    if (isGzip) c.header('Content-Encoding', 'gzip');
    const chunks = answer.chunks[Symbol.asyncIterator]();
    const [first, second] = [await chunks.next(), await chunks.next()];
    if (first.done === true) return c.body('');
    if (second.done === true) return c.body(first.value);
    return c.body(ReadableStream.from(withFirst([first.value, second.value], chunks)));
  };
