import { hash } from 'node:crypto';
import type { ImageColumn } from '../model/image.ts';
import type { PlatformStore } from '../model/platform-store.ts';
import type { Resource } from '../model/resource.ts';
import { fail, type Outcome, succeed } from './outcome.ts';

/** The largest image. */
export const MAX_IMAGE_BYTES = 1024 * 1024;

/** So many uploaded images may wait for a record that uses them: a key fills no disk. */
const MOST_UNUSED = 100;

/** For how long an image that no record uses is kept after it was uploaded. */
export const KEEP_UNUSED_MS = 24 * 60 * 60 * 1_000;

/** The start of a file in which its type shows. */
const START_BYTES = 4_100;

/** By the ending of their paths. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** The ending for a type. An animated PNG is a PNG to a browser. */
const endingOf = (type: string): string | undefined =>
  type === 'image/apng' ? 'png' : Object.keys(TYPES).find((ending) => TYPES[ending] === type);

/** The formats, for programs. */
export const IMAGE_TYPES = Object.values(TYPES);

/** The formats, for people. */
export const IMAGE_FORMATS = 'PNG, JPEG, GIF or WebP';

/** Is this the path of an image that was uploaded here? */
export const isUploaded = (path: string): boolean => /^images\/[0-9a-f]{64}\.(?:png|jpg|gif|webp)$/.test(path);

/** The members that name images. */
export const imageMembersOf = ({ members }: Resource) =>
  members.filter((member) => member.kind === 'text' && member.format === 'path');

/** The columns that name images. */
export const imageColumns = (resources: readonly Resource[]): readonly ImageColumn[] =>
  resources.flatMap((resource) => imageMembersOf(resource).map(({ column }) => ({ table: resource.table, column })));

async function findEnding(bytes: Uint8Array): Promise<string | undefined> {
  // Loaded for the first image: most daemons never get one.
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    const type = await fileTypeFromBuffer(bytes.subarray(0, START_BYTES));
    return endingOf(type?.mime ?? '');
  } catch {
    return undefined;
  }
}

/** Checks an image and stores it; resolves to its path. `name` is that of the member with the file. `now` is in Unix milliseconds. */
export async function storeImage(
  store: PlatformStore,
  resources: readonly Resource[],
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  now: number,
): Promise<Outcome<string>> {
  if (bytes.length > MAX_IMAGE_BYTES) return fail(1005, `${name} exceeds the maximum of ${MAX_IMAGE_BYTES} bytes`);
  const ending = await findEnding(bytes);
  if (ending === undefined)
    return fail(
      1012,
      `${name} must be a ${IMAGE_FORMATS} file, whatever its name says; save it as one of them. SVG is not accepted, because it can contain scripts`,
    );
  const path = `images/${hash('sha256', bytes)}.${ending}`;
  const image = { path, data: Buffer.from(bytes).toString('base64') };
  const isStored = await store.addImage(image, new Date(now).toISOString(), imageColumns(resources), MOST_UNUSED);
  return isStored
    ? succeed(path)
    : fail(
        1005,
        `${MOST_UNUSED} uploaded images are not used by any record, which is the maximum; use one of them as ImagePath, or wait for a day until they are removed`,
      );
}

/** An uploaded image as a browser gets it, which may keep it for good; undefined if there is none. */
export async function readImage(store: PlatformStore, path: string): Promise<Response | undefined> {
  const image = isUploaded(path) ? await store.findImage(path) : undefined;
  if (image === undefined) return undefined;
  return new Response(Buffer.from(image.data, 'base64'), {
    headers: {
      'content-type': TYPES[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  });
}
