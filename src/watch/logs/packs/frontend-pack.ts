import type { LogPattern } from '../../../model/log.ts';
import { inOrder, requestCauses, withPrefix } from '../known-causes.ts';
import { error, fatal, note, progress, toPack } from './pattern-rows.ts';
import { ENDED, programEnds, RAISE_HEAP } from './program-ends.ts';

/** How yarn, npm, pnpm and corepack begin the line that ends a fetch, if it is not about a file. */
const FETCH_ERROR = String.raw`(?:error |npm (?:ERR!|error) |\S+ YN\d{4}: \S+ | ERR_PNPM_|(?:Internal )?Error: Error when performing | +\[cause\]: )(?!Command failed)(?![^]*E(?:NOSPC|ROFS|ACCES|DQUOT|MFILE|PERM|IO):? )`;
/** And what all of them have. */
const FETCH_MARK = /[Ee]rror |npm | ERR_PNPM| \[cause\]: | YN\d{4}: /;

/** Why the package serve could not be fetched, in order; the last one is any other reason. */
const registryErrors = inOrder(
  '',
  FETCH_ERROR,
  {
    ...withPrefix('registry_', requestCauses('the npm registry', 'the registry of .npmrc or .yarnrc')),
    registry_unreachable: {
      says: `Error: (?:getaddrinfo|connect|read ECONN|unable to|certificate)|An unexpected error occurred|Couldn't find package`,
      what: 'the package serve could not be fetched at the start',
      fix: 'let the container reach the npm registry',
    },
  },
  FETCH_MARK,
);

/** How a line says that a command ended with such a code or signal, and how the shell does. */
const endedWith = (code: string, said: string) => ({
  anywhere: true,
  isAftermath: true,
  mark: /Killed|Aborted|Command failed with |errno |Exit status /,
  match: new RegExp(`^(?:${ENDED}(?:${code})|${said})`),
});

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
  build_killed: fatal('', 'the build was killed, as happens when memory runs out', {
    ...endedWith('137|SIGKILL', 'Killed$'),
    fix: 'give Docker more memory',
  }),
  build_aborted: error('', 'the build was aborted, as happens when the heap of Node.js reaches its limit', {
    ...endedWith('134|SIGABRT', 'Aborted(?: |$)'),
    fix: RAISE_HEAP,
  }),
  command_failed: error('', 'the page could not be built', {
    ...endedWith('(?!0\\b|127\\b|13[479]\\b)\\d+\\b', '(?!)'),
    fix: 'read the cause in its log',
  }),
  ...registryErrors,
  serve_missing: fatal('serve: ', 'the package serve, which delivers the page, is not installed', {
    anywhere: true,
    isAftermath: true,
    match: /^\S*sh: (?:(?:line )?\d+: )?serve: (?:command )?not found$/,
    fix: 'let the container reach the npm registry, from which it installs serve at each start, and restart it',
  }),
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
