import { error, fatal, type PatternRows, state } from './pattern-rows.ts';

export const RAISE_HEAP =
  'set NODE_OPTIONS=--max-old-space-size=4096 (MB) in its environment, give its container as much memory, and recreate it';

/** How yarn, npm, pnpm, the plugins of vite, programs and the shell begin a line about a file. */
const FILE_ERROR = String.raw`(?:error |npm (?:ERR!|error) |\S+ YN\d{4}: | ERR_PNPM_|(?:\[\S+\] )?(?:\w*Error: |E[A-Z]+: )|\S*sh: )`;

const toBegin = (before: string): string => `^${before.replace('[', '\\[').replace(']', '\\]')}`;

/** What a shell, env, tini and the runtime of the container say before the reason why a script does not start. */
const SCRIPT = String.raw`(?:\S*sh: |env: |exec |\[FATAL tini[^\]]*\] exec |.{0,300}exec: )(?:(?:line )?\d+: )?(?:exec: )?`;

/** Why the start script of a container does not run. */
export const startFaults = (before = ''): PatternRows => ({
  start_denied: fatal('ermission denied', 'its start script is not executable', {
    anywhere: true,
    match: new RegExp(`${toBegin(before)}${SCRIPT}\\S*\\.sh\\S{0,3}(?: failed)?: [Pp]ermission denied`),
    fix: 'make the script executable with `chmod +x` where it is mounted or built from, and recreate the container',
  }),
  start_unreadable: fatal('', 'its start script is not there, or has the line ends of Windows', {
    anywhere: true,
    mark: /\\r|\.sh\S{0,3}: no such file/,
    match: new RegExp(
      `${toBegin(before)}${SCRIPT}(?:\\S*\\.sh\\S{0,3}: no such file|\\S*\\\\r\\S{1,3}: (?:No such file|command not found))`,
    ),
    fix: 'see that it is mounted, and convert it with `sed -i "s/\\r$//"`',
  }),
  start_unfit: fatal('exec format error', 'its image is for another kind of processor', {
    anywhere: true,
    match: new RegExp(`${toBegin(before)}(?:standard_init_linux\\S* )?${SCRIPT}.*exec format error`),
    fix: 'take an image for what `uname -m` says on its machine',
  }),
});

/** How yarn, npm and pnpm begin the line about the code or the signal that a command ended with. */
export const ENDED =
  '(?:(?:error | ELIFECYCLE +)Command failed with (?:signal "|exit code )|npm (?:ERR!|error) (?:errno|Exit status|signal) )';

/** How a shell says that it cannot run a command or that one crashed, and what the others say with its exit code. */
export const shellEnds = (before = ''): PatternRows => ({
  program_crashed: fatal('', 'its program crashed with a segmentation fault or an abort', {
    anywhere: true,
    isAftermath: true,
    mark: /Segmentation fault|core dumped|SIGSEGV|(?:errno|Exit status|exit code) 139/,
    match: new RegExp(
      `${toBegin(before)}(?:${ENDED}(?:139|SIGSEGV)\\b|(?:\\S*sh: line \\d+: +\\d+ )?(?:Segmentation fault(?: |$)|[A-Z][a-z/ ]{0,40} \\(core dumped\\)))`,
    ),
    fix: 'start it again; if it crashes once more, test the memory of its machine, and take another version of its image',
  }),
  command_missing: fatal('', 'a command that its start script calls is not there', {
    anywhere: true,
    isAftermath: true,
    mark: /not found|(?:errno|Exit status|exit code) 127/,
    match: new RegExp(
      `${toBegin(before)}(?:${ENDED}127\\b|\\S*sh: (?:(?:line )?\\d+: )?[\\w@./-]+: (?:command )?not found$|.{0,300}exec: "[^"]{1,200}": executable file not found)`,
    ),
    fix: 'read in its log which one, pull its image anew, and recreate the container',
  }),
});

/** Why a program of Node.js ends or does not start; `before` is what its container prints before each line. */
export const programEnds = (before = ''): PatternRows => {
  const begins = toBegin(before);
  return {
    heap_exhausted: fatal('out of memory', 'its program ran out of memory: the heap of Node.js reached its limit', {
      anywhere: true,
      match: new RegExp(
        `${begins}(?:FATAL ERROR: |# Fatal JavaScript |Error \\[ERR_WORKER_OUT_OF_MEMORY\\]: ).*out of memory`,
      ),
      fix: RAISE_HEAP,
    }),
    file_refused: error('', 'its program could not use a file', {
      anywhere: true,
      mark: /E(?:ROFS|ACCES|DQUOT|MFILE|PERM|IO): /,
      match: new RegExp(`${begins}${FILE_ERROR}.*\\bE(?:ROFS|ACCES|DQUOT|MFILE|PERM|IO): `),
      fix: 'read in its log which file, and see its rights, the mount and quota of its folder, and the limit of file descriptors',
    }),
    docker_disk_full: fatal('space left on device', 'the disk is full', {
      anywhere: true,
      match: new RegExp(`${begins}(?:${FILE_ERROR}|[a-z]+: [^{]*).*[Nn]o space left on device`),
      fix: 'free space on the disk of Docker (`docker system df` shows what fills it), and start it again',
    }),
    port_taken: fatal('listen EADDRINUSE', 'another program has its port', {
      anywhere: true,
      match: new RegExp(`${begins}(?:\\w+ )?Error: listen EADDRINUSE\\b`),
      fix: 'end that program, or give the container another port',
    }),
    module_missing: fatal('Cannot find ', 'a module that its program needs is not there', {
      anywhere: true,
      match: new RegExp(`${begins}(?:\\w+ )?Error(?: \\[[A-Z_]+\\])?: Cannot find (?:module|package) `),
      fix: 'see that no folder is mounted over that of its program, pull its image anew, and recreate the container',
    }),
    ...startFaults(before),
    ...shellEnds(before),
  };
};

const CLOSE_REDIS =
  'close port 6379 of its container to the outside, recreate the container, and treat the keys in common.env as stolen';
const SAVE_REDIS = 'free the disk of Docker (`docker system df`), or give the container more memory if it is not full';

/** A client of redis prints its refusal itself, or the relayer logs it. */
const refusal = (code: string, more = '') => ({
  anywhere: true,
  match: new RegExp(`^(?:\\[1\\] \\[?|Fail to process [^"]{0,200}?)(?:ReplyError|ErrorReply): ${code} ${more}`),
});

/** Why redis in the container of a relayer, which runs, takes no data, and what shows that it does again. */
export const redisFaults: PatternRows = {
  redis_unsaved: error('ackground saving error', 'its redis cannot save its data and therefore takes no more', {
    anywhere: true,
    match: /^Background saving error$/,
    fix: SAVE_REDIS,
  }),
  redis_disk_full: error(
    'space left on device',
    'its redis cannot save, as the disk is full, and therefore takes no more',
    {
      anywhere: true,
      match: /^(?:Write error|Failed|Error|Can't|Opening|Unable)[^"]*: No space left on device$/,
      fix: 'free space on the disk of Docker (`docker system df` shows what fills it), and restart the container',
    },
  ),
  redis_without_memory: error(
    "Can't save in background: fork: ",
    'its redis cannot save for lack of memory, and therefore takes no more',
    { fix: 'give its container or the machine more memory, and restart the container' },
  ),
  redis_saved: state('Background saving terminated with success', 'redis has saved its data'),
  redis_captured: error(
    ' enabled (user request from ',
    'its redis was made a replica of another server by someone else',
    {
      anywhere: true,
      match: /^(?:REPLICAOF|SLAVE OF) (?!NO ONE)\S+ enabled \(user request from /,
      fix: CLOSE_REDIS,
    },
  ),
  // It has only its own folder to save to, and no modules.
  redis_misused: error('', 'someone else sends commands to its redis', {
    anywhere: true,
    mark: / \(in server root dir | loaded from |Possible SECURITY ATTACK detected/,
    match:
      /^(?:Failed opening the (?:temp )?RDB file \S+ \(in server root dir \/(?:etc|home|root|usr|var)\b|Module '[^']*' loaded from |Possible SECURITY ATTACK detected)/,
    fix: CLOSE_REDIS,
  }),
  redis_read_only: error(
    'READONLY ',
    'its redis accepts no data because someone else made it a replica of another server',
    { ...refusal('READONLY'), fix: CLOSE_REDIS },
  ),
  redis_refuses: error('MISCONF ', 'its redis cannot save its data and therefore takes no more', {
    ...refusal('MISCONF'),
    fix: SAVE_REDIS,
  }),
  redis_full: error('', 'its redis has used up its memory and therefore takes no more', {
    ...refusal('OOM', '|^Out Of Memory allocating '),
    mark: /OOM command not allowed|Out Of Memory allocating /,
    fix: 'give its container or the machine more memory, and restart the container',
  }),
  redis_freed: state('MASTER MODE enabled', 'redis is no longer a replica'),
};
