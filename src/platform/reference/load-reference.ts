import { type Loaded, loadOnce } from '../../lib/promises.ts';
import type { Reference } from './create-reference.ts';

/** Loads the reference of the API for the first who asks for a page of it. `openApi` resolves to the document as JSON. */
export const loadReference = (openApi: () => Promise<string>, version: string): Loaded<Reference> =>
  loadOnce(async () => {
    const [{ createReference }, text] = await Promise.all([import('./create-reference.ts'), openApi()]);
    return createReference({ document: JSON.parse(text), version });
  });
