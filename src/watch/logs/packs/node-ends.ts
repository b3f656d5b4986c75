import { SHORTER_PATH } from '../known-causes.ts';
import { error, fatal, type PatternRows } from './pattern-rows.ts';
import { shellEnds, startFaults } from './program-ends.ts';

/** Go names an error behind what it is about. */
const BEHIND_COLON = /: [A-Za-z]/;

/** A quoted value. Other fields than the error may hold what a peer sent, as its name. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;

/**
 * A text where only the program itself writes: behind a colon of its message, or in the field of an error. Messages of Go and of .NET go
 * on behind it.
 */
const inError = (text: string) =>
  new RegExp(
    `^(?:[^"=]*: (?:${text})|[^"]*?(?:${QUOTED}[^"]*?)*?\\serr(?:or)?="(?:(?:[^"\\\\]|\\\\.)*: )?(?:${text}))`,
  );

/** An error of the operating system. Go and the shell begin the words differently, so `literal` leaves them out. */
const systemError = (means: typeof error | typeof fatal, literal: string, texts: string, what: string, fix: string) =>
  means(literal, what, {
    anywhere: true,
    mark: BEHIND_COLON,
    match: inError(`(?:${texts})(?=$|[\\s";:])`),
    fix,
  });

const DISK_FIX = 'find what is wrong with it in `dmesg -T`, and mount it so that the node can write';
const MORE_MEMORY = 'give its container or the machine more memory';
/** Its key and its keystore lie in the same folder. */
const RESYNC =
  'restore its data, or move only XDC/chaindata out of its data folder and let it sync again from the others';

/** Why a geth node refuses a block, does not start, or ends. */
export const nodeEnds = {
  bad_block_state: error('Error: ', 'the node has lost the state or the snapshot for a block', {
    anywhere: true,
    mark: BEHIND_COLON,
    match:
      /^(?:#+ BAD BLOCK [\s\S]*\n)?Error: (?:[^"\n]{0,200}: )?(?:(?:leveldb|pebble): not found|missing trie [Nn]ode)/,
    fix: RESYNC,
  }),
  bad_block_differs: error('Error: ', 'a block was refused as its result differs', {
    anywhere: true,
    mark: BEHIND_COLON,
    match: /^(?:#+ BAD BLOCK [\s\S]*\n)?Error: invalid (?:merkle root|receipt root|gas used|bloom)/,
    fix: 'compare the versions of all nodes',
  }),
  ipc_path_too_long: fatal(
    'Fatal: Error starting protocol stack: listen unix ',
    'the path of the folder is too long for a socket',
    {
      fix: SHORTER_PATH,
      match: /^Fatal: Error starting protocol stack: listen unix \S+: bind: invalid argument/,
    },
  ),
  address_in_use: fatal('Fatal: ', 'a port is taken by another program', {
    match: /^Fatal: [^"]{0,200}: bind: address already in use/,
    fix: 'end that program, or give the node another port',
  }),
  write_failed: fatal('Failed to write block into disk', 'the node ended as it could not write a block', {
    fix: 'check its disk',
  }),
  disk_full: systemError(
    fatal,
    'space left on device',
    '[Nn]o space left on device',
    'the disk of the node is full',
    'free space on it',
  ),
  disk_low: fatal('Low disk space. Gracefully shutting down', 'the node ended itself, as its disk is nearly full', {
    fix: 'free space on it',
  }),
  disk_quota: systemError(
    fatal,
    'quota exceeded',
    '[Dd]isk quota exceeded',
    'the quota of the disk of the node is used up',
    'free space, or raise the quota',
  ),
  disk_read_only: systemError(
    fatal,
    'only file system',
    '[Rr]ead-only file system',
    'the disk of the node cannot be written to',
    DISK_FIX,
  ),
  disk_broken: systemError(fatal, 'output error', '[Ii]nput/output error', 'the disk of the node is failing', DISK_FIX),
  memory_denied: systemError(
    fatal,
    'allocate memory',
    '[Cc]annot allocate memory',
    'the node ran out of memory',
    MORE_MEMORY,
  ),
  too_many_open_files: systemError(
    error,
    'many open files',
    '[Tt]oo many open files',
    'the node has run out of file descriptors',
    'raise its limit of file descriptors: `ulimits: { nofile: 65536 }` of its service in docker-compose.yml, or LimitNOFILE of its systemd unit',
  ),
  unknown_flag: fatal('flag provided but not defined: ', 'the node was started with a flag it does not know', {
    fix: 'correct its command, or take the image that start.sh was written for',
  }),
  other_genesis: fatal('Fatal: ', 'its data folder holds the chain of another genesis', {
    match:
      /^Fatal: [^"]{0,200}: (?:database (?:already )?contains (?:an )?incompatible genesis|mismatching .{0,60} in database)/,
    fix: 'compare its genesis.json with that of the others; if it is right, move only XDC/chaindata out of the data folder',
  }),
  genesis_differs: fatal('Head header is not matched with genesis', 'its chain is not that of its genesis', {
    fix: 'compare its genesis.json with that of the others; if it is right, move only XDC/chaindata out of the data folder',
  }),
  folder_in_use: fatal('Fatal: ', 'another node runs on its data folder', {
    match: /^Fatal: [^"]{0,200}: (?:datadir already used by another process|resource temporarily unavailable)/,
    fix: 'end that one, or give each a folder of its own',
  }),
  database_locked: fatal('esource temporarily unavailable', 'another node runs on its data folder', {
    anywhere: true,
    match:
      /^(?:Can't create new DB\s(?:.*\s)?err(?:or)?="(?:[^"\\]|\\.)*|[^"=]*: While lock file: [^"]*: )[Rr]esource temporarily unavailable/,
    fix: 'end that one, or give each a folder of its own',
  }),
  database_corrupt: fatal('orrupt', 'its database is corrupt', {
    anywhere: true,
    mark: BEHIND_COLON,
    match: inError('(?:leveldb|pebble)(?:\\/\\w+)?: .{0,80}corrupt|Corruption: '),
    fix: `check its disk; ${RESYNC}`,
  }),
  database_incomplete: fatal('Fatal: ', 'its database is corrupt', {
    match: /^Fatal: [^"]{0,200}(?:file missing \[file=|pebble\S*: invalid table)/,
    fix: `check its disk; ${RESYNC}`,
  }),
  access_denied: fatal(' denied', 'the node may not use a file of its data folder', {
    anywhere: true,
    match:
      /^(?:(?:Fatal|panic): (?![^"]{0,200}: listen (?:tcp|udp) )[^"]{0,200}: permission denied$|A critical error has occurred\.? [^"]{0,200} is denied\.)/,
    fix: 'give its data folder to the user that its container runs as (`chown -R`)',
  }),
  ...startFaults(),
  unlock_failed: fatal('Fatal: Failed to unlock account', 'the key of the node cannot be unlocked', {
    fix: 'check its PRIVATE_KEY and keystore',
  }),
  key_unreadable: fatal('Fatal: Failed to load the private key', 'the key that the node shall import cannot be read', {
    fix: 'check its PRIVATE_KEY, which has 64 hexadecimal digits; if its data folder was emptied, recreate the container',
  }),
  fatal_start: fatal('Fatal: ', 'the node ended while it started', {
    match:
      /^Fatal: (?!Error starting protocol stack: listen (?:unix \S+: bind: invalid argument|.*address already in use)|Failed to (?:unlock|load the private key)|.{0,200}: (?:database contains incompatible genesis|datadir already used)|.{0,200}(?:leveldb|pebble)(?:\/\w+)?: .{0,80}corrupt)/,
  }),
  critical: fatal('', 'the node ended itself', {
    level: 'CRIT',
    match: /^(?!Error when update masternodes set)/,
  }),
  panic: fatal('panic: ', 'the node crashed', { match: /^panic: / }),
  go_out_of_memory: fatal('fatal error: ', 'the node ran out of memory', {
    match: /^fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)/,
    fix: MORE_MEMORY,
  }),
  go_fatal: fatal('fatal error: ', 'the node crashed', {
    match: /^fatal error: (?!(?:runtime: )?(?:out of memory|cannot allocate memory))/,
  }),
  killed: fatal('Killed', 'the node was killed, as happens when memory runs out', {
    anywhere: true,
    match: /^\S*sh: line \d+: +\d+ Killed\s/,
    fix: MORE_MEMORY,
  }),
  ...shellEnds(),
} satisfies PatternRows;
