import type { PatternPack } from '../../../model/log.ts';
import { inOrder, requestCauses } from '../known-causes.ts';
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
export const frontendPack: PatternPack = {
  component: 'frontend',
  patterns: [
    {
      name: 'serving',
      means: 'progress',
      literal: 'Accepting connections at ',
      anywhere: true,
      match: /^ INFO\s+Accepting connections at /,
      what: 'the page is served',
    },
    {
      name: 'build_failed',
      means: 'error',
      literal: 'error during build:',
      what: 'the page could not be built',
      fix: 'read the cause in its log',
    },
    {
      name: 'build_killed',
      means: 'fatal',
      literal: 'error Command failed with ',
      match: /^error Command failed with (?:signal "SIGKILL"|exit code 137)/,
      what: 'the build was killed, as happens when memory runs out',
      fix: 'give Docker more memory',
    },
    {
      name: 'build_aborted',
      means: 'error',
      literal: 'error Command failed with ',
      match: /^error Command failed with (?:signal "SIGABRT"|exit code 134)/,
      what: 'the build was aborted, as happens when the heap of Node.js has reached its limit',
      fix: RAISE_HEAP,
    },
    {
      name: 'command_failed',
      means: 'error',
      literal: 'error Command failed with ',
      match: /^error Command failed with exit code (?!13[47]\b)\d+/,
      what: 'the page could not be built',
      fix: 'read the cause in its log',
    },
    ...registryCauses.map((cause) => ({ ...cause, means: 'error', literal: 'err', anywhere: true }) as const),
    ...programEnds(),
    { name: 'serve_error', means: 'error', literal: ' ERROR ', what: 'serve reports an error' },
    {
      name: 'http_5xx',
      means: 'error',
      literal: ' Returned 5',
      anywhere: true,
      match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 5\d\d in /,
      what: 'serve could not deliver a page',
    },
    {
      name: 'http_4xx',
      means: 'note',
      literal: ' Returned 4',
      anywhere: true,
      match: /^ HTTP {2}\S+ \S+ [AP]M \S+ Returned 4\d\d in /,
      what: 'somebody asked for what is not there',
    },
  ],
};
