/** A line is cut here; what follows up to its end is thrown away unseen. */
export const MAX_LINE_BYTES = 64 * 1024;

/** Cuts a stream of bytes into lines, never holding more than one cut line. */
export interface LineCutter {
  /** Takes the next bytes as Latin-1 text and tells each line that ends in them, without its line break. */
  push(text: string, onLine: (line: string) => void): void;
  /** Bytes of the line that has not ended yet, those thrown away included. */
  pendingBytes(): number;
  /** The line that has not ended yet, as far as it is kept. */
  pending(): string;
  /** Forgets the line that has not ended yet. */
  reset(): void;
}

/** A cutter at the beginning of a line. */
export function createLineCutter(): LineCutter {
  let kept: string[] = [];
  let keptBytes = 0;
  let pendingBytes = 0;

  const keep = (text: string) => {
    pendingBytes += text.length;
    const room = MAX_LINE_BYTES - keptBytes;
    if (room <= 0) return;
    // A slice would hold the whole chunk in memory.
    kept.push(text.length > room ? text.slice(0, room) : text);
    keptBytes += Math.min(text.length, room);
  };
  const reset = () => {
    kept = [];
    keptBytes = 0;
    pendingBytes = 0;
  };

  return {
    push: (text, onLine) => {
      let start = 0;
      if (pendingBytes > 0) {
        const end = text.indexOf('\n');
        if (end === -1) {
          keep(text);
          return;
        }
        keep(text.slice(0, end));
        const line = kept.join('');
        reset();
        onLine(line);
        start = end + 1;
      }
      const last = text.lastIndexOf('\n');
      if (last >= start) {
        for (const line of text.slice(start, last).split('\n'))
          onLine(line.length > MAX_LINE_BYTES ? line.slice(0, MAX_LINE_BYTES) : line);
        start = last + 1;
      }
      if (start < text.length) keep(text.slice(start));
    },
    pendingBytes: () => pendingBytes,
    pending: () => kept.join(''),
    reset,
  };
}
