import { html } from 'hono/html';
import type { Html } from '../../../web/frame/marks.ts';
import {
  IMAGE_FORMATS,
  IMAGE_TYPES,
  imageMembersOf,
  isUploaded,
  MAX_IMAGE_BYTES,
  storeImage,
} from '../../api/images.ts';
import { type Outcome, succeed } from '../../api/outcome.ts';
import type { Resource } from '../../model/resource.ts';
import type { Field } from '../form.ts';
import type { Visit } from '../visit.ts';

/** The field of a form with the file. */
const NAME = 'Image';

const thumbnail = (path: string): Html =>
  html`<img class="thumb" src="/${path}" alt="uploaded image" loading="lazy" decoding="async">`;

/** An image that was uploaded as a small picture, and any other path as it is. */
export const imageOf = (path: string): Html | string => (isUploaded(path) ? thumbnail(path) : path);

/** The field that takes a file instead of a path. `path` is that of the record now. */
export const imageField = (path: string): Field => ({
  name: NAME,
  label: 'Image',
  kind: 'file',
  accept: IMAGE_TYPES.join(),
  isOptional: true,
  hint: html`${isUploaded(path) ? html`${thumbnail(path)} ` : ''}${IMAGE_FORMATS}, at most ${MAX_IMAGE_BYTES / 1024 / 1024} MiB. Everyone can see it who knows its address.`,
});

/**
 * The members of a form; with an image that was chosen, which is stored, its path is that of the record. It stays stored if the
 * form is refused for something else, and an image that no record uses goes after a day.
 */
export async function takeImage(
  { store, services, form, image, now }: Visit,
  resource: Resource,
): Promise<Outcome<Visit['form']>> {
  const [member] = imageMembersOf(resource);
  if (member === undefined || image === undefined) return succeed(form);
  const stored = await storeImage(store, services.resources, { name: NAME, bytes: image }, now);
  return stored.ok ? succeed({ ...form, [member.name]: stored.value }) : stored;
}
