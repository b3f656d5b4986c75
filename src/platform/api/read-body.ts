import { readBounded } from '../../lib/bytes.ts';
import { isRecord } from '../../lib/values.ts';
import type { Body } from './check-value.ts';
import { MAX_IMAGE_BYTES } from './images.ts';
import { fail, type Outcome, succeed } from './outcome.ts';
import { MULTIPART, readMultipart } from './read-multipart.ts';

/** The largest body that is read. */
const MAX_BODY_BYTES = 64 * 1024;

/** The largest form with an image: what is around it is small. */
const MAX_FORM_BYTES = MAX_IMAGE_BYTES + 16 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes of a body. The parser bounds a body with a stated length; any other is counted while it arrives. */
async function readBytes(request: Request, most: number): Promise<Outcome<Uint8Array>> {
  const tooLarge = fail(1005, `the body exceeds the maximum of ${most} bytes`, { connection: 'close' });
  const length = request.headers.get('content-length');
  if (Number(length) > most) return tooLarge;
  if (length !== null) return succeed(new Uint8Array(await request.arrayBuffer()));
  const bytes = request.body === null ? Buffer.alloc(0) : await readBounded(request.body, most);
  return bytes === undefined ? tooLarge : succeed(bytes);
}

/** Is the body uncompressed JSON in UTF-8? With `isForm` it could have been a form. */
function checkEncoding(headers: Headers, isForm = false): Outcome<undefined> {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/json')
    return fail(1001, `the content-type must be ${isForm ? 'multipart/form-data' : 'application/json'}`);
  for (const parameter of parameters) {
    const [, charset] = /^charset\s*=\s*"?([^"]*)"?$/i.exec(parameter) ?? [];
    if (charset !== undefined && !/^utf-?8$/i.test(charset.trim()))
      return fail(1001, 'the charset must be utf-8; send the body in UTF-8');
  }
  if (!/^(?:identity)?$/i.test(headers.get('content-encoding')?.trim() ?? ''))
    return fail(1001, 'the body must not be compressed; send it without a content-encoding');
  return succeed(undefined);
}

/** The members of a form with a file. */
async function readForm(request: Request, bytes: Uint8Array): Promise<Outcome<Body>> {
  const parts = await readMultipart(bytes, request.headers.get('content-type') ?? '');
  return parts === undefined ? fail(1001, 'the body is not a form of a few members; correct it') : succeed(parts);
}

/** How a body is read. With `mayBeMissing`, an absent one is an empty object; with `isForm` it may be a form with a file. */
interface BodyRule {
  readonly mayBeMissing: boolean;
  readonly isForm?: boolean | undefined;
}

/** The members of a request: the JSON object, or the form. */
export async function readBody(request: Request, { mayBeMissing, isForm }: BodyRule): Promise<Outcome<Body>> {
  const isMultipart = isForm && MULTIPART.test(request.headers.get('content-type') ?? '');
  let read: Outcome<Uint8Array>;
  try {
    read = await readBytes(request, isMultipart ? MAX_FORM_BYTES : MAX_BODY_BYTES);
  } catch {
    return fail(1001, 'the body was cut off; send it whole');
  }
  if (!read.ok) return read;
  if (read.value.length === 0)
    return mayBeMissing
      ? succeed({})
      : fail(1001, `the body is missing; send ${isForm ? 'a form with the file' : 'a JSON object'}`);
  if (isMultipart) return readForm(request, read.value);
  const isUnderstood = checkEncoding(request.headers, isForm);
  if (!isUnderstood.ok) return isUnderstood;
  try {
    const value: unknown = JSON.parse(utf8.decode(read.value));
    if (isRecord(value)) return succeed(value);
    return fail(1001, 'the body must be a JSON object');
  } catch {
    return fail(1001, 'the body is not JSON; correct it');
  }
}
