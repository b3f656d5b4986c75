import pino, { type Logger } from 'pino';
import { isUnread } from '../lib/process.ts';

/** The log, and how many messages it has written since the start, by level. Every level is there from the start. */
export interface CountedLog {
  readonly log: Logger;
  readonly messages: ReadonlyMap<string, number>;
}

/** As many bytes of lines wait while they cannot be written, as on a full disk. */
const MAX_WAITING = 1024 * 1024;

/**
 * The log: one JSON object per line on stdout, with the name of the level and the time in ISO 8601. A full disk ends no daemon: lines
 * that cannot be written wait, and are written before the next one that can be.
 */
export function createLog(level: string): CountedLog {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING });
  // pino bypasses the stream, which still has to know when nobody reads any more.
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (isUnread(error, process.stdout.isTTY)) process.stdout.emit('error', error);
  });
  const messages = new Map(Object.keys(pino.levels.values).map((name) => [name, 0]));
  const log = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(words, write, number) {
          const name = pino.levels.labels[number] as string;
          messages.set(name, (messages.get(name) ?? 0) + 1);
          write.apply(this, words);
        },
      },
    },
    destination,
  );
  return { log, messages };
}
