import { error, fatal, type PatternRows } from './pattern-rows.ts';

/** Go names an error behind what it is about. */
const BEHIND_COLON = /: [A-Za-z]/;

/** A quoted value. Other fields than the error may hold what a peer sent, as its name. */
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;

/**
 * An error of the operating system where the program itself names it: at the end of a line, or of the field of an error.
 * Go and the shell begin the words differently, so `literal` leaves them out.
 */
const systemError = (means: typeof error | typeof fatal, literal: string, texts: string, what: string, fix: string) =>
  means(literal, what, {
    anywhere: true,
    mark: BEHIND_COLON,
    match: new RegExp(
      `^(?:[^"=]*: (?:${texts})\\s*$|[^"]*?(?:${QUOTED}[^"]*?)*?\\serr(?:or)?="(?:[^"\\\\]|\\\\.)*: (?:${texts})")`,
    ),
    fix,
  });

const DISK_FIX = 'find what is wrong with it in `dmesg -T`, and mount it so that the node can write';
const RESYNC = 'restore its data, or empty its data folder and let it sync again from the others';

/** Why a geth node refuses a block, does not start, or ends. */
export const nodeEnds = {
  bad_block_state: error('Error: ', 'the node has lost the state or the snapshot for a block', {
    anywhere: true,
    mark: BEHIND_COLON,
    match: /^(?:#+ BAD BLOCK [\s\S]*\n)?Error: (?:leveldb: not found|missing trie [Nn]ode)/,
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
      fix: 'move the deployment to a shorter path',
      match: /^Fatal: Error starting protocol stack: listen unix \S+: bind: invalid argument/,
    },
  ),
  address_in_use: fatal('Fatal: Error starting protocol stack: listen ', 'a port is taken by another program', {
    match: /address already in use/,
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
    match: /^Fatal: [^"]{0,200}: database contains incompatible genesis/,
    fix: 'compare its genesis.json with that of the others; if it is right, empty the data folder',
  }),
  genesis_differs: fatal('Head header is not matched with genesis', 'its chain is not that of its genesis', {
    fix: 'compare its genesis.json with that of the others; if it is right, empty the data folder',
  }),
  folder_in_use: fatal('Fatal: ', 'another node runs on its data folder', {
    match: /^Fatal: [^"]{0,200}: datadir already used by another process/,
    fix: 'end that one, or give each a folder of its own',
  }),
  database_locked: fatal("Can't create new DB", 'another node runs on its data folder', {
    match: /\serr(?:or)?="(?:[^"\\]|\\.)*resource temporarily unavailable"/,
    fix: 'end that one, or give each a folder of its own',
  }),
  database_corrupt: fatal('Fatal: ', 'its database is corrupt', {
    match: /^Fatal: [^"]{0,200}(?:leveldb|pebble)(?:\/\w+)?: (?:manifest )?corrupt/,
    fix: `check its disk; ${RESYNC}`,
  }),
  unlock_failed: fatal('Fatal: Failed to unlock account', 'the key of the node cannot be unlocked', {
    fix: 'check its PRIVATE_KEY and keystore',
  }),
  fatal_start: fatal('Fatal: ', 'the node ended while it started', {
    match:
      /^Fatal: (?!Error starting protocol stack: listen (?:unix |.*address already in use)|Failed to unlock|.{0,200}: (?:database contains incompatible genesis|datadir already used)|.{0,200}(?:leveldb|pebble)(?:\/\w+)?: (?:manifest )?corrupt)/,
  }),
  critical: fatal('', 'the node ended itself', {
    level: 'CRIT',
    match: /^(?!Error when update masternodes set)/,
  }),
  panic: fatal('panic: ', 'the node crashed', { match: /^panic: / }),
  go_out_of_memory: fatal('fatal error: runtime: out of memory', 'the node ran out of memory', {
    fix: 'give its container or the machine more memory',
  }),
  go_fatal: fatal('fatal error: ', 'the node crashed', {
    match: /^fatal error: (?!runtime: out of memory)/,
  }),
} satisfies PatternRows;
