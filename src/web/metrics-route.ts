import type { Context } from 'hono';
import type { ScrapeAnswer, ScrapeRequest } from '../tell/metrics/exposition.ts';
import { acceptsGzip } from './cached-text.ts';
import { negotiateFormat } from './negotiate-format.ts';

/** `/metrics`. A page of one chunk has a length; a longer one is sent in chunks, as fast as the scraper reads. */
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
    const [first, second] = answer.chunks;
    return c.body(second === undefined ? (first ?? '') : ReadableStream.from(answer.chunks));
  };
