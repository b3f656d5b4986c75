import type { Context } from 'hono';
import { type Accept, parseAccept } from 'hono/utils/accept';
import type { ScrapeAnswer, ScrapeRequest } from '../tell/metrics/create-scrapes.ts';
import type { ExpositionFormat } from '../tell/metrics/text-formats.ts';
import { acceptsGzip } from './cached-text.ts';

/** A format of `/metrics`, and the content type that names it. */
export interface NegotiatedFormat {
  readonly format: ExpositionFormat;
  readonly type: string;
}

/** The versions that are served, the one for a scraper that names none first. Those of a format do not differ in our names. */
const VERSIONS: Readonly<Record<ExpositionFormat, readonly string[]>> = {
  text: ['0.0.4', '1.0.0'],
  openmetrics: ['1.0.0', '0.0.1'],
};

const MEDIA: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain',
  openmetrics: 'application/openmetrics-text',
};

/** How names that are not in ASCII are to be escaped. There are none, so each scheme is right. */
const ESCAPING = /^(allow-utf-?8|underscores|dots|values)$/;

const FALLBACK: NegotiatedFormat = { format: 'text', type: toType('text', '0.0.4') };

function toType(format: ExpositionFormat, version: string, escaping = ''): string {
  return `${MEDIA[format]}; version=${version}; charset=utf-8${escaping}`;
}

function match({ type: media, params, q }: Accept): NegotiatedFormat | undefined {
  if (q === 0) return undefined;
  if (media === '*/*' || media === 'text/*') return FALLBACK;
  const format = (['text', 'openmetrics'] as const).find((one) => MEDIA[one] === media);
  if (format === undefined) return undefined;
  const [usual = ''] = VERSIONS[format];
  const version = params.version ?? usual;
  if (!VERSIONS[format].includes(version)) return undefined;
  const escaping = params.escaping ?? '';
  const isEscaped = version === '1.0.0' && ESCAPING.test(escaping);
  return { format, type: toType(format, version, isEscaped ? `; escaping=${escaping}` : '') };
}

/**
 * The format that a scraper likes best, by its Accept header; the text format 0.0.4 for clients that accept neither, as
 * https://prometheus.io/docs/instrumenting/content_negotiation/ asks.
 */
function negotiateFormat(accept = ''): NegotiatedFormat {
  for (const accepted of parseAccept(accept.toLowerCase())) {
    const found = match(accepted);
    if (found !== undefined) return found;
  }
  return FALLBACK;
}

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
