import type { WallMs, WatchedMs } from './clock.ts';
import type { Component } from './target.ts';

/** Where lines come from, as it stands in the label `source`. */
export type LogSource = 'container' | 'file';

/**
 * What a match says: `progress`: the program works; `error`, `fatal`: it does not; `state`: something that other lines are
 * judged by; `note`: only counted.
 */
export type Meaning = 'progress' | 'error' | 'fatal' | 'state' | 'note';

/** A pattern of a pack: fitted to the real line by its message and its key. */
export interface LogPattern {
  /** The label `pattern`: a-z, 0-9 and _. */
  readonly name: string;
  readonly means: Meaning;
  /** Text that every matching line holds; a line without it is not looked at further. */
  readonly literal: string;
  /** In a line that a node logs below CRIT, the literal stands at the beginning of the message, or the line does not match. */
  readonly begins?: boolean;
  /** May be absent when the literal alone decides. Group 1 is the value, when the line carries one. */
  readonly match?: RegExp;
  /** What it is, and what to do about it when it is a fault; for the documentation and the reasons. */
  readonly what: string;
  /** It is printed to the container's log alone, so it counts there even when files are read too. */
  readonly consoleOnly?: boolean;
}

/** All patterns of a component. */
export interface PatternPack {
  readonly component: Component;
  readonly patterns: readonly LogPattern[];
}

/** A line that matched a pattern. */
export interface LogHit {
  readonly pattern: string;
  readonly means: Meaning;
  /** Docker's timestamp, else the line's own time, else the time of reading. */
  readonly at: WatchedMs;
  /** The text of the pattern's value; never shown. */
  readonly value?: string;
  /** False for a line that is read to know the state and was printed before reading began. */
  readonly counted: boolean;
}

/** Why a source cannot be read; holds nothing that a log said. */
export interface LogFault {
  readonly what:
    | 'missing'
    | 'denied'
    | 'not-a-file'
    | 'no-container'
    | 'docker-unreachable'
    | 'no-descriptor'
    | 'broken';
}

/** What is known of one kind of source of a target. */
export interface LogSourceState {
  readonly up: boolean;
  readonly fault?: LogFault;
  /** Lines read since subnetd started. */
  readonly lines: number;
  /** From when on every line is known. */
  readonly since: WatchedMs;
  /** All that is there has been read once. */
  readonly caughtUp: boolean;
}

/** How far the log of one container was read. */
export interface ContainerPosition {
  readonly id: string;
  /** What is stamped before was never read. */
  readonly from: WallMs;
  /** By stream: the timestamp of the last whole line, and how many lines carried it. */
  readonly streams: Readonly<Record<string, { readonly at: string; readonly count: number }>>;
}

/** Where reading of one container or file goes on. */
export type LogPosition =
  | {
      readonly kind: 'container';
      readonly id: string;
      readonly from: number;
      readonly streams: ContainerPosition['streams'];
      /** The same of the containers that stood for the target before, the last one first; absent when there was none. */
      readonly others?: readonly ContainerPosition[];
    }
  | { readonly kind: 'files'; readonly files: readonly FilePosition[] };

/** How far the content of one file was read, and by what it is known again. */
export interface FilePosition {
  /** Where the file was seen last. */
  readonly path: string;
  /** Device and inode of the file that held it. */
  readonly inode: string;
  /** In bytes, after the last whole line. */
  readonly offset: number;
  /** Hexadecimal SHA-256 of the first `headBytes` bytes. */
  readonly head: string;
  readonly headBytes: number;
  /** Hashes of blocks at known places, up to where it was read; absent in positions of older versions. */
  readonly marks?: string;
  /** Up to where it was read, a line that has not ended included, and the hash of the bytes before. */
  readonly last?: { readonly at: number; readonly bytes: number; readonly hash: string };
}

/** Keeps positions as followers see it. The key names subnet, component, target and source. Never rejects or throws. */
export interface PositionStore {
  load(source: string): Promise<LogPosition | undefined>;
  /** `read` tells the position as it is at that moment, and is called whenever it is to be saved. */
  keep(source: string, read: () => LogPosition): void;
}

/** Where positions outlive the process. Both reject while it cannot be reached. */
export interface PositionTable {
  read(): Promise<ReadonlyMap<string, LogPosition>>;
  /** Puts those of the sources given in the place of the ones before, and forgets those of `gone`. */
  write(changed: ReadonlyMap<string, LogPosition>, gone: readonly string[]): Promise<void>;
}
