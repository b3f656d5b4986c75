import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

const compress = promisify(gzip);

/** Does the client want its answer compressed? */
export const acceptsGzip = (c: Context): boolean =>
  accepts(c, { header: 'Accept-Encoding', supports: ['gzip', 'identity'], default: 'identity' }) === 'gzip';

/** A strong ETag: the two encodings are different bytes, so their tags differ. */
const tagOf = (bytes: Uint8Array): string => `"${createHash('sha256').update(bytes).digest('base64url')}"`;

const isKnown = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*');

interface Rendered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly tag: string;
}

/** Answers with a text that does not change while subnetd runs. It is made once, and has an ETag and compression. */
export function cachedText(make: () => string | Promise<string>, type: string): (c: Context) => Promise<Response> {
  const render = async (): Promise<Readonly<Record<'identity' | 'gzip', Rendered>>> => {
    const plain = new Uint8Array(Buffer.from(await make()));
    const packed = new Uint8Array(await compress(plain));
    return { identity: { bytes: plain, tag: tagOf(plain) }, gzip: { bytes: packed, tag: tagOf(packed) } };
  };
  let rendered: ReturnType<typeof render> | undefined;
  return async (c) => {
    rendered ??= render();
    // After a failure, the next request tries again.
    rendered.catch(() => {
      rendered = undefined;
    });
    const encoding = acceptsGzip(c) ? 'gzip' : 'identity';
    const { bytes, tag } = (await rendered)[encoding];
    const headers = { etag: tag, 'cache-control': 'no-cache', vary: 'Accept-Encoding' };
    if (isKnown(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers);
    return c.body(bytes, 200, {
      ...headers,
      'content-type': type,
      ...(encoding === 'gzip' && { 'content-encoding': encoding }),
    });
  };
}

/**
 * Answers with JSON that is long and other each time. It is packed at the lowest level, in a quarter of the usual time, to a quarter
 * more bytes.
 */
export async function sendJson(c: Context, value: unknown): Promise<Response> {
  const text = JSON.stringify(value);
  c.header('Content-Type', 'application/json');
  c.header('Vary', 'Accept-Encoding');
  if (!acceptsGzip(c)) return c.body(text);
  c.header('Content-Encoding', 'gzip');
  return c.body(await compress(text, { level: 1 }));
}
