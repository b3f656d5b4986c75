import type { WallMs, WatchedMs } from '../lib/clock.ts';

/** Where lines come from: the label `source`. */
export type LogSource = 'container' | 'file';

/**
 * What a match means. `progress`: the program works; `error`, `fatal`: it does not; `state`: context for other lines;
 * `note`: only counted.
 */
export type Meaning = 'progress' | 'error' | 'fatal' | 'state' | 'note';

/** The name under which gaps are counted, where Docker discarded lines before they were read. */
export const LINES_LOST = 'log_lines_lost';

/** A pattern of a pack, by the message and key of the real line. */
export interface LogPattern {
  /** The label `pattern`: a-z, 0-9 and _. */
  readonly name: string;
  readonly means: Meaning;
  /** What the message of every matching line begins with: two characters or more. */
  readonly literal: string;
  /** The literal may stand behind the beginning. Then `match` must hold it to where only the program itself writes. */
  readonly anywhere?: boolean;
  /**
   * Found in every line of such a pattern, and in few others, so that most are passed over; the literal if absent, which may be empty
   * where there is a mark. Lines are searched together, so it knows no begin of a line.
   */
  readonly mark?: RegExp;
  /** The head of the line shows this level. Then the literal may be empty. */
  readonly level?: 'CRIT' | 'ERROR' | 'INFO' | 'DEBUG';
  /**
   * Tested on the message and what is behind it, without the head of the line. Absent when the literal alone decides.
   * Group 1 is the value, if the line has one.
   */
  readonly match?: RegExp;
  /** What it is, for the documentation and the reasons. */
  readonly what: string;
  /** What to do about it. */
  readonly fix?: string;
  /**
   * The runtime prints it without a head as the program ends. Right behind a message of Nethermind it may be the rest of that, so there it
   * counts once the program starts next, or where a saved log ends.
   */
  readonly ends?: boolean;
  /** It tells how a program ended. Right behind a line that says why, it counts nothing. */
  readonly isAftermath?: boolean;
  /** Printed only to the log of the container, so it counts there even when files are read. */
  readonly containerOnly?: boolean;
}

/** A line that matched a pattern. */
export interface LogHit {
  readonly pattern: string;
  readonly means: Meaning;
  /** Docker's timestamp, else the line's own time, else the time of reading. */
  readonly at: WatchedMs;
  /** The text of the pattern's value; never shown. */
  readonly value?: string;
  /** False for a line that was printed before reading started and is read only for context. */
  readonly counted: boolean;
}

/** Why a source cannot be read; holds nothing that a log said. */
export interface LogFault {
  readonly what:
    | 'missing'
    | 'denied'
    | 'not-a-file'
    | 'no-container'
    /** The log driver of its container keeps nothing to read. */
    | 'not-kept'
    | 'docker-unreachable'
    | 'no-descriptor'
    | 'broken';
}

/** What is known of one kind of log source of a target. */
export interface LogSourceState {
  readonly up: boolean;
  readonly fault?: LogFault;
  /** Lines read since subnetd started. */
  readonly lines: number;
  /** From when on every line is known. */
  readonly since: WatchedMs;
}

/** How far the log of a container was read. */
export interface ContainerPosition {
  readonly id: string;
  /** What is stamped before was never read. */
  readonly from: WallMs;
  /** By stream: the timestamp of the last whole line, and how many lines carried it. */
  readonly streams: Readonly<Record<string, { readonly at: string; readonly count: number }>>;
}

/** The position of reading in a container's log or in files. */
export type LogPosition =
  | {
      readonly kind: 'container';
      readonly id: string;
      readonly from: number;
      readonly streams: ContainerPosition['streams'];
      /** Positions of earlier containers of the target, latest first; absent when there were none. */
      readonly others?: readonly ContainerPosition[];
    }
  | { readonly kind: 'files'; readonly files: readonly FilePosition[] };

/** How far the content of a file was read, and the fingerprint that identifies it. */
export interface FilePosition {
  /** The file's last known path. */
  readonly path: string;
  /** Device and inode of the file that held the content. */
  readonly inode: string;
  /** In bytes, after the last whole line. */
  readonly offset: number;
  /** Hexadecimal SHA-256 of the first `headBytes` bytes. */
  readonly head: string;
  readonly headBytes: number;
  /** Checksums of blocks up to the offset. */
  readonly marks: string;
  /** The offset, including an incomplete line, and the hash of the bytes before it. */
  readonly last: { readonly at: number; readonly bytes: number; readonly hash: string };
}

/** Stores positions for followers. The key names subnet, component, target and source. Never rejects or throws. */
export interface PositionStore {
  load(source: string): Promise<LogPosition | undefined>;
  /** `read` returns the current position, and is called whenever positions are saved. */
  keep(source: string, read: () => LogPosition): void;
}
