import pino, { type Logger } from 'pino';

/** The log: one JSON object a line on stdout, with the level by its name and the time in ISO 8601. */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: true });
  // It writes past the stream, which has to know all the same when nobody reads any more.
  destination.on('error', (error) => process.stdout.emit('error', error));
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
