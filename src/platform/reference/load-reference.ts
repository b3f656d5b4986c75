import { readFile } from 'node:fs/promises';
import { ownFile } from '../../lib/process.ts';
import { type Loaded, loadOnce } from '../../lib/promises.ts';

/** The reference of the API, for people. */
export interface Reference {
  /** The pages by their paths, from `/docs` on. */
  readonly pages: ReadonlyMap<string, () => string>;
  /** The page `/docs/try` of an operation, by its id. */
  tryIt(operation?: string): string;
  /** The text of one of its files. */
  readAsset(name: 'reference.css' | 'reference.js' | 'try.js'): Promise<string>;
}

/** Loads the reference of the API for the first who asks for a page of it. `openApi` resolves to the document as JSON. */
export const loadReference = (openApi: () => Promise<string>, version: string): Loaded<Reference> =>
  loadOnce(async () => {
    const [{ referencePages }, { tryPage }, text] = await Promise.all([
      import('./docs-page.ts'),
      import('./try-page.ts'),
      openApi(),
    ]);
    const content = { document: JSON.parse(text), version };
    return {
      pages: referencePages(content),
      tryIt: (operation) => tryPage(content, operation),
      readAsset: (name) => readFile(ownFile(`src/platform/reference/assets/${name}`), 'utf8'),
    };
  });
