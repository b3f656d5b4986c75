/** The log of a simulated container, in the form of Docker's API. */
export interface ContainerLog {
  /** Adds lines that were printed at a time, in Unix milliseconds. */
  add(lines: readonly string[], at: number): void;
  /** The kept frames since a time, in Unix milliseconds. */
  read(since: number): readonly Buffer[];
  /** Reports each new frame until the returned function is called. */
  follow(onFrame: (frame: Buffer) => void): () => void;
}

/** The log that a simulated container keeps: far more than any window needs, and bounded. */
const MAX_LINES = 5_000;

const STDOUT = 1;

/** One line as the logs endpoint streams it with `timestamps` (Docker Engine API, "Attach to a container", stream format). */
function toFrame(line: string, at: number, count: number): Buffer {
  const nanos = String(count % 1_000_000).padStart(6, '0');
  const body = Buffer.from(`${new Date(at).toISOString().slice(0, -1)}${nanos}Z ${line}\n`);
  const header = Buffer.alloc(8);
  header[0] = STDOUT;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

/** An empty log. */
export function createContainerLog(): ContainerLog {
  const kept: { readonly at: number; readonly frame: Buffer }[] = [];
  const followers = new Set<(frame: Buffer) => void>();
  let count = 0;
  return {
    add: (lines, at) => {
      for (const line of lines) {
        count += 1;
        const frame = toFrame(line, at, count);
        kept.push({ at, frame });
        for (const follower of followers) follower(frame);
      }
      kept.splice(0, kept.length - MAX_LINES);
    },
    read: (since) => kept.filter(({ at }) => at >= since).map(({ frame }) => frame),
    follow: (onFrame) => {
      followers.add(onFrame);
      return () => followers.delete(onFrame);
    },
  };
}
