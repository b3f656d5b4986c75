import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const require = createRequire(import.meta.url);

/**
 * An expression of RE2; throws for one that RE2 cannot run. The library is large, and most inventories have no pattern of
 * their own: it is loaded by the first.
 */
export const compileRe2 = (source: string): RE2JS =>
  (require('re2js') as { readonly RE2JS: typeof RE2JS }).RE2JS.compile(source);
