/** A form has no more parts: each costs the parser far more than its bytes. */
const MOST_PARTS = 32;

/** The type of a form that may have files. */
export const MULTIPART = /^multipart\/form-data\s*;/i;

/** The members of a form that may have files: texts, and the bytes of files. */
export type Parts = Readonly<Record<string, string | Uint8Array>>;

/**
 * Reads a form of the type `multipart/form-data`, the last part of each name. A file that was not chosen is absent. Undefined
 * if it is none, or has too many parts.
 */
export async function readMultipart(bytes: Uint8Array, contentType: string): Promise<Parts | undefined> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const hasTooMany =
    text
      .matchAll(/content-disposition/gi)
      .drop(MOST_PARTS)
      .next().done !== true;
  if (hasTooMany) return undefined;
  const parts: [name: string, value: string | Uint8Array][] = [];
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
    for (const [name, value] of form) {
      if (typeof value === 'string') parts.push([name, value]);
      else if (value.name !== '' || value.size > 0) parts.push([name, await value.bytes()]);
    }
  } catch {
    return undefined;
  }
  return Object.fromEntries(parts);
}
