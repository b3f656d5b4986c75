import { isRecord, parseJson } from '../../../lib/values.ts';
import type { Component } from '../../../model/target.ts';

/**
 * Converts text to the Latin-1 form in which logs are searched. Chunks are decoded as Latin-1, a plain copy in which
 * each character is one byte of the log. Only a matching line is decoded as UTF-8.
 */
export const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Decodes Latin-1 text as UTF-8; invalid bytes become U+FFFD. */
export const fromLatin1 = (bytes: string): string =>
  // Most lines are ASCII, which is the same in both encodings.
  /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;

/** A line of a log, taken apart at the place where the program itself begins to speak. */
export interface SplitLine {
  /**
   * The message and all behind it, as a terminal shows them. Only its first words are sure to be the program's own: names
   * and values that others sent come behind them.
   */
  readonly record: string;
  /** Upper case, as in `CRIT`; absent in lines without one. */
  readonly level?: string;
}

const ISO_TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)`;
/** What Compose, Docker, Kubernetes, `kubectl --prefix` and the journal put before a line, in any order. */
const PREFIX = new RegExp(
  [
    String.raw`^(?:[^\s|]+ +\| `,
    String.raw`${ISO_TIME} (?:(?:stdout|stderr) [FP] |\S+ \S+\[\d+\]: )?`,
    String.raw`[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [^\s:]+: `,
    String.raw`\[pod\/\S+\] )+`,
  ].join('|'),
);

/** A line of Docker's json-file driver, as it stands in the file. */
const JSON_FILE = '{"log":"';

/** The text of such a line; itself if it is none. */
function unwrap(line: string): string {
  const value = parseJson(line);
  return isRecord(value) && typeof value.log === 'string' ? value.log.replace(/\r?\n$/, '') : line;
}

export const ESCAPE = '\u001b[';
const COLOURS = new RegExp(`${ESCAPE.replace('[', String.raw`\[`)}[\\d;]*m`, 'g');

const LEVEL_AND_TIME = String.raw`(?:TRACE|DEBUG|INFO |WARN |ERROR|CRIT )\[\d\d-\d\d\|\d\d:\d\d:\d\d`;

/** The head of a line on the terminal of an XDC-Subnet node (v0.3.2, log/format.go): level, time, space. */
export const NODE_HEAD = String.raw`${LEVEL_AND_TIME}\] `;

/** Same for XDPoSChain 2.x: with milliseconds, and with a quote before a message beyond ASCII. */
export const LONG_NODE_HEAD = String.raw`${LEVEL_AND_TIME}\.\d{3}\] "?`;

const nodeHead = new RegExp(`^(?:${NODE_HEAD}|${LONG_NODE_HEAD})`);

/** Does the line have the head of the node's logger? Other output of a node has not. */
export const isNodeLine = (line: string): boolean => nodeHead.test(line);

const LOGFMT = /^t=\S+ lvl=(\w+) msg=(?:"((?:[^"\\]|\\.)*)"|(\S*))/;

/** Console, older console and file of Nethermind (NLog.config); only the file tells the level. */
export const NETHERMIND_HEAD = String.raw`(?:\d\d [A-Z][a-z]{2} \d\d:\d\d:\d\d \| |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{4}\|(?:([A-Z]+)\|\d+\|)?)`;

const NETHERMIND = new RegExp(`^${NETHERMIND_HEAD}`);

/** The stats server's logger, and redis beside the relayer. */
const SERVICE =
  /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ([a-z]+): |\[0\] \d+:[A-Z] \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\.\d{3} [.*#-] )/;

/** The relayer's logger. Quotes within its texts are escaped, so the first `"msg"` is the key. */
const RELAYER_MESSAGE = '"msg":"';

const unquote = (text: string): string => text.replaceAll(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one));

/** Writes a field as a terminal does, so that one expression reads every format. */
const writeField = ([key, value]: [string, unknown]): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${key}=${/[\s="]/.test(text) ? JSON.stringify(text) : text}`;
};

function splitJson(line: string): SplitLine | undefined {
  const value = parseJson(line);
  if (!isRecord(value)) return undefined;
  const { t: _, lvl, msg, ...fields } = value;
  if (typeof msg !== 'string') return undefined;
  const record = [msg.trimStart(), ...Object.entries(fields).map(writeField)].join(' ');
  return { record: `${record} `, level: String(lvl).toUpperCase() };
}

/** Is the line one of Nethermind's, with a head? */
export const isNethermindLine = (line: string): boolean => NETHERMIND.test(line);

/** Removes what the tools that saved the log have added. */
export function toPrinted(line: string): string {
  const printed = line.startsWith(JSON_FILE) ? unwrap(line) : line;
  const plain = printed.includes(ESCAPE) ? printed.replaceAll(COLOURS, '') : printed;
  return nodeHead.test(plain) ? plain : plain.replace(PREFIX, '');
}

/**
 * Takes a line apart, in any format of any program that is watched: their heads differ, so the component need not be
 * known. `line` is as `toPrinted` returns it.
 */
export function splitLine(line: string): SplitLine {
  const head = nodeHead.exec(line)?.[0];
  if (head !== undefined) return { record: line.slice(head.length), level: /^[A-Z]+/.exec(head)?.[0] };
  if (line.startsWith('{')) return splitJson(line) ?? { record: line };
  const logfmt = LOGFMT.exec(line);
  if (logfmt) {
    const message = unquote(logfmt[2] ?? logfmt[3] ?? '').trimStart();
    return {
      record: `${message}${line.slice(logfmt[0].length)} `,
      level: logfmt[1]?.toUpperCase(),
    };
  }
  const message = line.startsWith('[1] {') ? line.indexOf(RELAYER_MESSAGE) : -1;
  if (message >= 0) return { record: line.slice(message + RELAYER_MESSAGE.length) };
  const nethermind = NETHERMIND.exec(line);
  if (nethermind) return { record: line.slice(nethermind[0].length), level: nethermind[1] };
  const service = SERVICE.exec(line);
  if (service === null) return { record: line };
  return { record: line.slice(service[0].length), level: service[1]?.toUpperCase() };
}

/** A geth client's line in JSON or logfmt. */
const GETH = /^(?:\{"t":"[^"]*","lvl":"|t=\S+ lvl=)/;

const FORMS: Readonly<Record<Component, (printed: string) => boolean>> = {
  node: (line) => isNodeLine(line) || isNethermindLine(line) || GETH.test(line),
  bootnode: (line) => isNodeLine(line) || GETH.test(line),
  // `concurrently` numbers redis and the program.
  relayer: (line) => /^\[[01]\] /.test(line),
  stats: (line) => /^(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-z]+: |> \S+@\S+ start)/.test(line),
  // Yarn, vite and serve, one after the other.
  frontend: (line) =>
    /^(?: HTTP {2}| INFO {2}| UPDATE |yarn |vite |\$ |\[\d\/4\] |(?:info|warning|error|success) |dist\/|Done in )/.test(
      line,
    ),
};

/** Whether a program of this kind prints such lines, whatever they say. `line` is Latin-1. */
export const hasForm = (component: Component, line: string): boolean => FORMS[component](toPrinted(line));
