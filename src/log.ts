import pino, { type Logger } from 'pino';

/** The log: one JSON object per line on stdout, with the name of the level and the time in ISO 8601. */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: true });
  // pino bypasses the stream, which still has to know when nobody reads any more.
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
