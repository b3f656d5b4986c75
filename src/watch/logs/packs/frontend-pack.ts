import type { LogPattern } from '../../../model/log.ts';
import { inOrder, requestCauses } from '../known-causes.ts';
import { line } from './pattern-line.ts';
import { programEnds, RAISE_HEAP } from './program-ends.ts';

/** How yarn and npm begin the line that ends a fetch. */
const FETCH_ERROR = String.raw`(?:error |npm (?:ERR!|error) |(?:\S+ YN\d{4}: \S ))(?!Command failed)(?![^]*ENOSPC)`;

/** Why the package serve could not be fetched, in order; the last one is any other reason. */
const registryCauses = inOrder(FETCH_ERROR, [
  ...requestCauses('the npm registry', 'the registry of .npmrc or .yarnrc').map((cause) => ({
    ...cause,
    name: `registry_${cause.name}`,
  })),
  {
    name: 'registry_unreachable',
    says: `Error: (?:getaddrinfo|connect|read ECONN|unable to|certificate)|An unexpected error occurred|Couldn't find package`,
    what: 'the package serve could not be fetched at the start',
    fix: 'let the container reach the npm registry',
  },
]);

/**
 * The frontend's start.sh: yarn 1.22, vite 4.4, serve 14.2. A failed build also prints "✓ built in", and a good one
 * prints "errors".
 */
export const frontendPack: readonly LogPattern[] = [
  line('serving', 'progress', 'Accepting connections at ', 'the page is served', {
    anywhere: true,
    match: /^ INFO\s+Accepting connections at /,
  }),
  line('build_failed', 'error', 'error during build:', 'the page could not be built', {
    fix: 'read the cause in its log',
  }),
  line('build_killed', 'fatal', 'error Command failed with ', 'the build was killed, as happens when memory runs out', {
    match: /^error Command failed with (?:signal "SIGKILL"|exit code 137)/,
    fix: 'give Docker more memory',
  }),
  line(
    'build_aborted',
    'error',
    'error Command failed with ',
    'the build was aborted, as happens when the heap of Node.js reaches its limit',
    { match: /^error Command failed with (?:signal "SIGABRT"|exit code 134)/, fix: RAISE_HEAP },
  ),
  line('command_failed', 'error', 'error Command failed with ', 'the page could not be built', {
    match: /^error Command failed with exit code (?!13[47]\b)\d+/,
    fix: 'read the cause in its log',
  }),
  ...registryCauses.map((cause) => ({ ...cause, means: 'error', literal: 'err', anywhere: true }) as const),
  ...programEnds(),
  line('serve_error', 'error', ' ERROR ', 'serve reports an error'),
  line('http_5xx', 'error', ' Returned 5', 'serve could not deliver a page', {
    anywhere: true,
    match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 5\d\d in /,
  }),
  line('http_4xx', 'note', ' Returned 4', 'a client requested something that does not exist', {
    anywhere: true,
    match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 4\d\d in /,
  }),
];
