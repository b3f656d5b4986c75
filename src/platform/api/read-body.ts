import { readBounded } from '../../lib/bytes.ts';
import { isRecord } from '../../lib/values.ts';
import type { Body } from './check-value.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** The largest body that is read. */
const MAX_BODY_BYTES = 64 * 1024;

const tooLarge = fail(1005, `the body exceeds the maximum of ${MAX_BODY_BYTES} bytes`, { connection: 'close' });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes of a body. The parser bounds a body with a stated length; any other is counted while it arrives. */
async function readBytes(request: Request): Promise<Outcome<Uint8Array>> {
  const length = request.headers.get('content-length');
  if (Number(length) > MAX_BODY_BYTES) return tooLarge;
  if (length !== null) return succeed(new Uint8Array(await request.arrayBuffer()));
  const bytes = request.body === null ? Buffer.alloc(0) : await readBounded(request.body, MAX_BODY_BYTES);
  return bytes === undefined ? tooLarge : succeed(bytes);
}

/** Is the body uncompressed JSON in UTF-8? */
function checkEncoding(headers: Headers): Outcome<undefined> {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/json') return fail(1001, 'the content-type must be application/json');
  for (const parameter of parameters) {
    const [, charset] = /^charset\s*=\s*"?([^"]*)"?$/i.exec(parameter) ?? [];
    if (charset !== undefined && !/^utf-?8$/i.test(charset.trim()))
      return fail(1001, 'the charset must be utf-8; send the body in UTF-8');
  }
  if (!/^(?:identity)?$/i.test(headers.get('content-encoding')?.trim() ?? ''))
    return fail(1001, 'the body must not be compressed; send it without a content-encoding');
  return succeed(undefined);
}

/** The JSON object of a request. With `mayBeMissing`, an absent body is an empty object. */
export async function readBody(request: Request, mayBeMissing: boolean): Promise<Outcome<Body>> {
  let read: Outcome<Uint8Array>;
  try {
    read = await readBytes(request);
  } catch {
    return fail(1001, 'the body was cut off; send it whole');
  }
  if (!read.ok) return read;
  if (read.value.length === 0)
    return mayBeMissing ? succeed({}) : fail(1001, 'the body is missing; send a JSON object');
  const isUnderstood = checkEncoding(request.headers);
  if (!isUnderstood.ok) return isUnderstood;
  try {
    const value: unknown = JSON.parse(utf8.decode(read.value));
    if (isRecord(value)) return succeed(value);
    return fail(1001, 'the body must be a JSON object');
  } catch {
    return fail(1001, 'the body is not JSON; correct it');
  }
}
