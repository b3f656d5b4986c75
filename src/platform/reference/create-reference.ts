import { readFile } from 'node:fs/promises';
import { ownFile } from '../../lib/own-file.ts';
import { docsPage, type ReferenceContent } from './docs-page.ts';
import { tryPage } from './try-page.ts';

/** The reference of the API, for people. */
export interface Reference {
  /** The page `/docs`. */
  docs(): string;
  /** The page `/docs/try` of an operation, by its id. */
  tryIt(operation?: string): string;
  /** The text of one of its files. */
  readAsset(name: 'reference.css' | 'reference.js' | 'try.js'): Promise<string>;
}

/** Creates the reference of an OpenAPI document. */
export function createReference(content: ReferenceContent): Reference {
  return {
    docs: () => docsPage(content),
    tryIt: (operation) => tryPage(content, operation),
    readAsset: (name) => readFile(ownFile(`src/platform/reference/assets/${name}`), 'utf8'),
  };
}
