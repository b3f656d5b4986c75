import pino, { type Logger } from 'pino';

/** The log: one JSON object a line on stdout, with the level by its name and the time in ISO 8601. */
export const createLog = (level: string): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ dest: 1, sync: true }),
  );
