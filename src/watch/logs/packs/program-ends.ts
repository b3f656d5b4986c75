import { error, fatal, type PatternRows, state } from './pattern-rows.ts';

export const RAISE_HEAP =
  'set NODE_OPTIONS=--max-old-space-size=4096 (MB) in its environment, give its container as much memory, and recreate it';

/** Why a program of Node.js ends or does not start; `before` is what its container prints before each line. */
export const programEnds = (before = ''): PatternRows => {
  const begins = `^${before.replace('[', '\\[').replace(']', '\\]')}`;
  return {
    heap_exhausted: fatal(
      `${before}FATAL ERROR: `,
      'its program ran out of memory: the heap of Node.js reached its limit',
      { match: new RegExp(`${begins}FATAL ERROR: .*(?:Allocation failed|out of memory)`), fix: RAISE_HEAP },
    ),
    docker_disk_full: fatal('space left on device', 'the disk is full', {
      anywhere: true,
      match: new RegExp(
        `${begins}(?:error |npm (?:ERR!|error) |(?:\\[\\S+\\] )?\\w*Error: |\\S*sh: ).*[Nn]o space left on device`,
      ),
      fix: 'free space on the disk of Docker (`docker system df` shows what fills it), and start it again',
    }),
    start_denied: fatal('.sh: ', 'its start script is not executable', {
      anywhere: true,
      match: new RegExp(
        `${begins}(?:exec |env: |\\S*sh: )\\S*?(?:\\d+: |line \\d+: )?\\S*\\.sh'?: [Pp]ermission denied`,
      ),
      fix: 'make the script executable with `chmod +x` where it is mounted or built from, and recreate the container',
    }),
  };
};

const CLOSE_REDIS =
  'close port 6379 of its container to the outside, recreate the container, and treat the keys in common.env as stolen';
const SAVE_REDIS = 'free the disk of Docker (`docker system df`), or give the container more memory if it is not full';

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
  redis_captured: error('REPLICAOF ', 'its redis was made a replica of another server by someone else', {
    match: /^REPLICAOF (?!NO ONE)\S+ enabled \(user request from /,
    fix: CLOSE_REDIS,
  }),
  redis_read_only: error(
    '[1] ReplyError: READONLY ',
    'its redis accepts no data because someone else made it a replica of another server',
    { fix: CLOSE_REDIS },
  ),
  redis_refuses: error('[1] ReplyError: MISCONF ', 'its redis cannot save its data and therefore takes no more', {
    fix: SAVE_REDIS,
  }),
  redis_freed: state('MASTER MODE enabled', 'redis is no longer a replica'),
};
