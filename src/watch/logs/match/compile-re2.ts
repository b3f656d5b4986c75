import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const require = createRequire(import.meta.url);

/**
 * Compiles an expression with RE2; throws when RE2 cannot run it. The library is large and most inventories have no
 * patterns, so the first pattern loads it.
 */
export const compileRe2 = (source: string): RE2JS =>
  (require('re2js') as { readonly RE2JS: typeof RE2JS }).RE2JS.compile(source);
