import { readBounded } from '../../lib/read-bounded.ts';
import { fail, type Outcome, succeed } from '../api/outcome.ts';

/** The largest form that is read, as of the API. */
const MAX_FORM_BYTES = 64 * 1024;

/** The members of a form, the last value of each. An absent body is an empty form. */
export async function readForm(request: Request): Promise<Outcome<Readonly<Record<string, string>>>> {
  const type = request.headers.get('content-type') ?? '';
  if (request.body !== null && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
    return fail(1001, 'the portal takes forms only; for programs there is the API');
  try {
    const bytes = request.body === null ? Buffer.alloc(0) : await readBounded(request.body, MAX_FORM_BYTES);
    if (bytes === undefined)
      return fail(1005, `the form exceeds the maximum of ${MAX_FORM_BYTES} bytes`, { connection: 'close' });
    return succeed(Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))));
  } catch {
    return fail(1001, 'the form was cut off; send it again');
  }
}
