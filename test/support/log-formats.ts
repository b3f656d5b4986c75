/** A record as a geth client logs it, before it is formatted. */
export interface NodeRecord {
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'CRIT';
  readonly message: string;
  readonly fields: readonly (readonly [key: string, value: string])[];
}

const escapeText = (text: string): string =>
  text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');

/** log/format.go of both clients: a value is quoted for a space, `=` or a quote. */
const value = (text: string): string => (/[\s="]/.test(text) ? `"${escapeText(text)}"` : text);

const terminal = (clock: string, message: string, { level, fields }: NodeRecord): string => {
  const padded = fields.length > 0 ? message.padEnd(40) : message;
  return `${level.padEnd(5)}[11-25|${clock}] ${padded} ${fields.map(([key, text]) => `${key}=${value(text)}`).join(' ')}`;
};

/** How the clients print a record; a line break in a message stays one on both terminals. */
export const NODE_FORMATS: Readonly<Record<string, (record: NodeRecord) => string>> = {
  'XDC-Subnet terminal': (record) => terminal('12:00:00', record.message, record),
  'XDPoSChain terminal': (record) => {
    const { message } = record;
    const isPlain = /^[\n\r\t -<>-~]*$/.test(message);
    return terminal('12:00:00.123', isPlain ? message : `"${escapeText(message)}"`, record);
  },
  'coloured terminal': (record) =>
    terminal('12:00:00', record.message, record)
      .replace(/^[A-Z]+ */, '\u001b[33m$&\u001b[0m')
      .replaceAll(/ (\w+)=/g, ' \u001b[33m$1\u001b[0m='),
  JSON: ({ level, message, fields }) =>
    JSON.stringify({
      t: '2026-11-25T12:00:00.123456789Z',
      lvl: level.toLowerCase(),
      msg: message,
      ...Object.fromEntries(fields),
    }),
  logfmt: ({ level, message, fields }) =>
    [['t', '2026-11-25T12:00:00+0000'], ['lvl', level.toLowerCase()], ['msg', message], ...fields]
      .map(([key, text = '']) => `${key}=${value(text)}`)
      .join(' '),
};

/** What tools put before each line that they save or show. */
export const LOG_PREFIXES = [
  '',
  'subnet1-1  | ',
  '2026-11-25T12:00:00.123456789Z ',
  '2026-11-25T12:00:00.123456789+00:00 stderr F ',
  'Nov 25 12:00:00 host1 subnet1[812]: ',
  'Nov 25 12:00:00 host1 subnet1: ',
  '2026-11-25T12:00:00+0000 host1 subnet1[812]: ',
  'subnet1-1  | 2026-11-25T12:00:00.123456789Z ',
  '[pod/subnet1-0/node] ',
];
