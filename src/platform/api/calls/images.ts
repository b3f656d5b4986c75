import { defineCall, objectOf, RESULT, required } from '../call.ts';
import { IMAGE_FORMATS, MAX_IMAGE_BYTES, storeImage } from '../images.ts';
import { fail, succeed } from '../outcome.ts';

/** Stores an image for `ImagePath`. Beyond the specification, for which a path is just a path. */
export const addImage = defineCall({
  id: 'addImage',
  method: 'POST',
  path: '/Image/Add',
  tag: 'Image',
  summary: 'Upload an image',
  description:
    'The answer has the path to send as `ImagePath` of a sector or an industry. The image is public at that path of this host. One that no record uses is removed after a day.',
  scope: 'lists',
  isForm: true,
  body: {
    Image: required<Uint8Array>({
      schema: {
        type: 'string',
        format: 'binary',
        description: `A ${IMAGE_FORMATS} file of at most ${MAX_IMAGE_BYTES} bytes. Its content tells the format, not its name.`,
      },
      codes: [1003, 1005, 1012],
      read: (value, name) =>
        value instanceof Uint8Array
          ? succeed(value)
          : fail(1003, `${name} must be a file; send it in a form (multipart/form-data), as curl -F does`),
    }),
  },
  data: objectOf({
    ...RESULT,
    ImagePath: { type: 'string', examples: [`images/${'3f5a90c1'.padEnd(64, '0')}.png`] },
  }),
  run: async ({ Image: bytes }, { store }, deps) => {
    const stored = await storeImage(store, deps.resources, { name: 'Image', bytes }, deps.now());
    return stored.ok ? succeed({ result: 'success', ImagePath: stored.value }) : stored;
  },
});
