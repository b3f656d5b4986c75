import pino, { type Logger } from 'pino';

/** The log, and how many messages it has written since the start, by level. Every level is there from the start. */
export interface CountedLog {
  readonly log: Logger;
  readonly messages: ReadonlyMap<string, number>;
}

/** The log: one JSON object per line on stdout, with the name of the level and the time in ISO 8601. */
export function createLog(level: string): CountedLog {
  const destination = pino.destination({ dest: 1, sync: true });
  // pino bypasses the stream, which still has to know when nobody reads any more.
  destination.on('error', (error) => process.stdout.emit('error', error));
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
