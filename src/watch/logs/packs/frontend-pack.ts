import type { LogPattern } from '../../../model/log.ts';
import { inOrder, requestCauses, withPrefix } from '../known-causes.ts';
import { error, fatal, note, progress, toPack } from './pattern-rows.ts';
import { programEnds, RAISE_HEAP } from './program-ends.ts';

/** How yarn and npm begin the line that ends a fetch. */
const FETCH_ERROR = String.raw`(?:error |npm (?:ERR!|error) |(?:\S+ YN\d{4}: \S ))(?!Command failed)(?![^]*ENOSPC)`;

/** Why the package serve could not be fetched, in order; the last one is any other reason. */
const registryErrors = inOrder(
  'err',
  FETCH_ERROR,
  {
    ...withPrefix('registry_', requestCauses('the npm registry', 'the registry of .npmrc or .yarnrc')),
    registry_unreachable: {
      says: `Error: (?:getaddrinfo|connect|read ECONN|unable to|certificate)|An unexpected error occurred|Couldn't find package`,
      what: 'the package serve could not be fetched at the start',
      fix: 'let the container reach the npm registry',
    },
  },
  true,
);

/**
 * The frontend's start.sh: yarn 1.22, vite 4.4, serve 14.2. A failed build also prints "✓ built in", and a good one
 * prints "errors".
 */
export const frontendPack: readonly LogPattern[] = toPack({
  serving: progress('Accepting connections at ', 'the page is served', {
    anywhere: true,
    match: /^ INFO\s+Accepting connections at /,
  }),
  build_failed: error('error during build:', 'the page could not be built', {
    fix: 'read the cause in its log',
  }),
  build_killed: fatal('error Command failed with ', 'the build was killed, as happens when memory runs out', {
    match: /^error Command failed with (?:signal "SIGKILL"|exit code 137)/,
    fix: 'give Docker more memory',
  }),
  build_aborted: error(
    'error Command failed with ',
    'the build was aborted, as happens when the heap of Node.js reaches its limit',
    { match: /^error Command failed with (?:signal "SIGABRT"|exit code 134)/, fix: RAISE_HEAP },
  ),
  command_failed: error('error Command failed with ', 'the page could not be built', {
    match: /^error Command failed with exit code (?!13[47]\b)\d+/,
    fix: 'read the cause in its log',
  }),
  ...registryErrors,
  ...programEnds(),
  serve_error: error(' ERROR ', 'serve reports an error'),
  http_5xx: error(' Returned 5', 'serve could not deliver a page', {
    anywhere: true,
    match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 5\d\d in /,
  }),
  http_4xx: note(' Returned 4', 'a client requested something that does not exist', {
    anywhere: true,
    match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 4\d\d in /,
  }),
});
