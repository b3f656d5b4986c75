import type { LogPattern } from '../../../model/log.ts';

export const RAISE_HEAP =
  'set NODE_OPTIONS=--max-old-space-size=4096 (MB) in its environment, give its container as much memory, and recreate it';

/** Why a program of Node.js ends or does not start; `before` is what its container prints before each line. */
export const programEnds = (before = ''): readonly LogPattern[] => {
  const begins = `^${before.replace('[', '\\[').replace(']', '\\]')}`;
  return [
    {
      name: 'heap_exhausted',
      means: 'fatal',
      literal: `${before}FATAL ERROR: `,
      match: new RegExp(`${begins}FATAL ERROR: .*(?:Allocation failed|out of memory)`),
      what: 'its program ran out of memory, as the heap of Node.js has reached its limit',
      fix: RAISE_HEAP,
    },
    {
      name: 'docker_disk_full',
      means: 'fatal',
      literal: 'space left on device',
      anywhere: true,
      match: new RegExp(
        `${begins}(?:error |npm (?:ERR!|error) |(?:\\[\\S+\\] )?\\w*Error: |\\S*sh: ).*[Nn]o space left on device`,
      ),
      what: 'the disk is full',
      fix: 'free space on the disk of Docker (`docker system df` shows what fills it), and start it again',
    },
    {
      name: 'start_denied',
      means: 'fatal',
      literal: '.sh: ',
      anywhere: true,
      match: new RegExp(
        `${begins}(?:exec |env: |\\S*sh: )\\S*?(?:\\d+: |line \\d+: )?\\S*\\.sh'?: [Pp]ermission denied`,
      ),
      what: 'its start script must not be executed',
      fix: 'make the script executable with `chmod +x` where it is mounted or built from, and recreate the container',
    },
  ];
};

const CLOSE_REDIS =
  'close port 6379 of its container to the outside, recreate the container, and treat the keys in common.env as stolen';
const SAVE_REDIS = 'free the disk of Docker (`docker system df`), or give the container more memory if it is not full';

/** Why redis in the container of a relayer, which runs, takes no data, and what shows that it does again. */
export const redisFaults: readonly LogPattern[] = [
  {
    name: 'redis_unsaved',
    means: 'error',
    literal: 'ackground saving error',
    anywhere: true,
    match: /^Background saving error$/,
    what: 'its redis cannot save its data and therefore takes no more',
    fix: SAVE_REDIS,
  },
  {
    name: 'redis_disk_full',
    means: 'error',
    literal: 'space left on device',
    anywhere: true,
    match: /^(?:Write error|Failed|Error|Can't|Opening|Unable)[^"]*: No space left on device$/,
    what: 'its redis cannot save, as the disk is full, and therefore takes no more',
    fix: 'free space on the disk of Docker (`docker system df` shows what fills it), and restart the container',
  },
  {
    name: 'redis_without_memory',
    means: 'error',
    literal: "Can't save in background: fork: ",
    what: 'its redis cannot save for lack of memory, and therefore takes no more',
    fix: 'give its container or the machine more memory, and restart the container',
  },
  {
    name: 'redis_saved',
    means: 'state',
    literal: 'Background saving terminated with success',
    what: 'redis has saved its data',
  },
  {
    name: 'redis_captured',
    means: 'error',
    literal: 'REPLICAOF ',
    match: /^REPLICAOF (?!NO ONE)\S+ enabled \(user request from /,
    what: 'somebody else writes to its redis, and has made it a replica of another server',
    fix: CLOSE_REDIS,
  },
  {
    name: 'redis_read_only',
    means: 'error',
    literal: '[1] ReplyError: READONLY ',
    what: 'its redis takes no data, as it is a replica of another server: somebody else writes to it',
    fix: CLOSE_REDIS,
  },
  {
    name: 'redis_refuses',
    means: 'error',
    literal: '[1] ReplyError: MISCONF ',
    what: 'its redis cannot save its data and therefore takes no more',
    fix: SAVE_REDIS,
  },
  {
    name: 'redis_freed',
    means: 'state',
    literal: 'MASTER MODE enabled',
    what: 'redis is no replica any more',
  },
];
