import { createLineCutter, type LineCutter } from '../../lib/bytes.ts';
import { valueWithin, within } from '../../lib/promises.ts';
import { redactLines } from '../../lib/redact.ts';
import { describeNoLines, type LastLines, type ShownLine } from '../../model/last-lines.ts';
import type { LogFault, LogSource } from '../../model/log.ts';
import type { ContainerRef, Target } from '../../model/target.ts';
import { createMessageReader, createTerminalReader } from '../docker/frames.ts';
import type { DockerLinks } from '../docker/links.ts';
import { STAMP_BYTES, withDockerStamp } from './container/create-stamped-reader.ts';
import { findLogFiles, toFault } from './file/find-log-files.ts';
import { withOpenFile } from './file/open-log.ts';
import { fromLatin1 } from './match/line-form.ts';

/** What is needed to read the last lines of a log. */
export interface LastLinesOptions {
  readonly docker: Pick<DockerLinks, 'findLog' | 'openTail'>;
  /** Values that the inventory keeps secret. */
  readonly secrets: readonly string[];
}

/** An engine or a disk that does not answer is waited for no longer. */
const WITHIN_MS = 1_800;
/** So much is read from the end of a file, and at most so much of what an engine sends. */
const FILE_BYTES = 256 * 1024;
const ENGINE_BYTES = 8 * 1024 * 1024;
/** Longer lines are cut; more is kept than is searched for secrets, and much more than is shown. */
const LINE_BYTES = 9 * 1024;
const MOST_LINES = 200;

interface RawLine {
  /** In Latin-1: each character is a byte. */
  readonly bytes: string;
  readonly at?: number;
}

/** The last lines of a source, or why there are none. */
type Read = readonly RawLine[] | LogFault;

const isFault = (read: Read): read is LogFault => 'what' in read;

/** Keeps the last lines of a stamped log. A line that Docker split comes in several messages. */
function createLastLines(count: number) {
  const lines: RawLine[] = [];
  const streams = new Map<string, { readonly cutter: LineCutter; at: number }>();
  const adderOf = (stream: { readonly at: number }) => (text: string, start: number, end: number) => {
    const { at } = stream;
    lines.push({ bytes: text.slice(start, Math.min(end, start + LINE_BYTES)), ...(at > 0 && { at }) });
    if (lines.length > count) lines.shift();
  };
  return {
    take: (name: string, message: string) => {
      const stamped = withDockerStamp(message);
      const stream = streams.get(name) ?? { cutter: createLineCutter(), at: 0 };
      streams.set(name, stream);
      stream.at = stamped === undefined ? 0 : Date.parse(stamped.slice(0, STAMP_BYTES - 1));
      stream.cutter.push(stamped?.slice(STAMP_BYTES) ?? message, adderOf(stream));
    },
    /** With what a program printed last without a line break, as when it was killed. */
    end: (): readonly RawLine[] => {
      for (const stream of streams.values()) stream.cutter.flush(adderOf(stream));
      return lines;
    },
  };
}

async function readContainer(
  ref: ContainerRef,
  count: number,
  docker: LastLinesOptions['docker'],
  signal: AbortSignal,
): Promise<Read> {
  const found = await docker.findLog(ref, signal);
  if ('what' in found) return found;
  const { take, end } = createLastLines(count);
  const push = found.tty ? createTerminalReader(take) : createMessageReader(take);
  try {
    let bytes = 0;
    for await (const chunk of (await docker.openTail(ref, found.id, count, signal)) as AsyncIterable<Buffer>) {
      push(chunk);
      bytes += chunk.length;
      if (bytes > ENGINE_BYTES) break;
    }
    return end();
  } catch {
    return { what: signal.aborted ? 'docker-unreachable' : 'broken' };
  }
}

/** The last lines of the file that was written last. */
async function readFiles({ logFiles }: Target, count: number): Promise<Read> {
  const found = await Promise.all(logFiles.map(({ path }) => findLogFiles(path)));
  const files = found.flatMap((one) => (one.ok ? one.files : []));
  const newest = files.toSorted((one, other) => other.writtenAt - one.writtenAt)[0];
  if (newest === undefined) return found.find((one) => !one.ok)?.fault ?? { what: 'missing' };
  try {
    const text = await withOpenFile(newest, async (readAt, size) => {
      const start = Math.max(0, size - FILE_BYTES);
      const read = (await readAt(start, size - start)).toString('latin1');
      if (start === 0) return read;
      // The first line began before. The rest of it may begin within a secret, which nobody would recognise.
      const firstEnd = read.indexOf('\n');
      return firstEnd === -1 ? '' : read.slice(firstEnd + 1);
    });
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.slice(-count).map((line) => ({ bytes: line.slice(0, LINE_BYTES) }));
  } catch (error) {
    return toFault(error);
  }
}

function toLastLines(source: LogSource, read: readonly RawLine[], secrets: readonly string[]): LastLines {
  const texts = redactLines(
    read.map(({ bytes }) => fromLatin1(bytes.replace(/\r$/, ''))),
    secrets,
  );
  const lines = read.map(({ at }, index): ShownLine => ({ text: texts[index] ?? '', ...(at !== undefined && { at }) }));
  return { ok: true, source, lines };
}

/**
 * The last lines of a target's log, at most 200: of its newest log file, else of its container. Ends within 2 s, and never
 * rejects. Each line is redacted and cut, as it is for people.
 */
export async function readLastLines(
  target: Target,
  count: number,
  { docker, secrets }: LastLinesOptions,
): Promise<LastLines> {
  const { container, logFiles } = target;
  const most = Math.min(Math.max(1, Math.floor(count)), MOST_LINES);
  if (logFiles.length === 0 && container === undefined)
    return { ok: false, why: 'the inventory names neither its container nor a log file' };
  return within(undefined, WITHIN_MS, async (signal): Promise<LastLines> => {
    const late: Promise<Read> = new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ what: 'docker-unreachable' })),
    );
    const ofFiles = logFiles.length > 0 ? await valueWithin(WITHIN_MS / 2, readFiles(target, most), 'late') : undefined;
    if (ofFiles !== undefined && ofFiles !== 'late' && !isFault(ofFiles)) return toLastLines('file', ofFiles, secrets);
    if (container === undefined)
      return {
        ok: false,
        why: ofFiles === 'late' || ofFiles === undefined ? 'its disk does not answer' : describeNoLines(ofFiles),
      };
    const read = await Promise.race([readContainer(container, most, docker, signal), late]);
    return isFault(read) ? { ok: false, why: describeNoLines(read) } : toLastLines('container', read, secrets);
  });
}
