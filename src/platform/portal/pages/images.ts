import { readImage } from '../../api/images.ts';
import type { OpenRoute } from '../visit.ts';

const MISSING = 'there is no such image; one that no record used for a day was removed\n';

/** The uploaded images, open to everyone: the pages of the platform show them, and a path is as hard to guess as its image. */
export const imageRoute: OpenRoute = {
  kind: 'open',
  method: 'GET',
  path: '/images/:name',
  answer: async ({ store, params }) =>
    (await readImage(store, `images/${params.name}`)) ?? new Response(MISSING, { status: 404 }),
};
