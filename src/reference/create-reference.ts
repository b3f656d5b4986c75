import { readFile } from 'node:fs/promises';
import { docsPage, type ReferenceContent, toParts } from './docs-page.ts';
import { tryPage } from './try-page.ts';

/** The reference of the API, for people. */
export interface Reference {
  /** The page `/docs`, with a search only what matches. */
  docs(search?: string): string;
  /** The page `/docs/try` of an operation, by its id. */
  tryIt(operation?: string): string;
  /** The text of one of its files. */
  readAsset(name: 'reference.css' | 'reference.js' | 'try.js'): Promise<string>;
}

/** Creates the reference of an OpenAPI document. */
export function createReference(content: ReferenceContent): Reference {
  const parts = toParts(content);
  return {
    docs: (search) => docsPage(parts, search),
    tryIt: (operation) => tryPage(content, operation),
    readAsset: (name) => readFile(new URL(`../../src/reference/assets/${name}`, import.meta.url), 'utf8'),
  };
}
