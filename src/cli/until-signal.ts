import { EventEmitter } from 'node:events';
import { isUnread } from '../lib/process.ts';
import { report } from './report.ts';

const reader = new EventEmitter();
let isGone = false;

/**
 * The reader of stdout may go away, as `head` does. The program then ends as after a signal, without a message. When stdout cannot be
 * written for another reason, as a file on a full disk, it ends with one. Without stderr, there is nowhere to say so.
 */
export function endWhenUnread(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!isUnread(error, stream.isTTY)) {
        if (stream === process.stderr) return;
        report([
          `subnetd: stdout cannot be written (${error.code}), so some output is lost; free space there, and run it again`,
        ]);
        process.exit(1);
      }
      if (isGone) return;
      isGone = true;
      if (!reader.emit('gone')) process.exit();
    });
}

const CAUGHT = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Signals received before the call of `untilSignal`. */
const early: NodeJS.Signals[] = [];
const remember = (signal: NodeJS.Signals) => early.push(signal);

/** Keeps signals from ending the process until the call of `untilSignal`, which then handles them. */
export function catchSignals(): void {
  for (const signal of CAUGHT) process.on(signal, remember);
}

/**
 * Resolves with the first SIGTERM or SIGINT, or when nobody reads stdout any more. `handlers` handle other signals
 * meanwhile. A second SIGTERM or SIGINT ends the process at once.
 */
export function untilSignal(handlers: Readonly<Partial<Record<NodeJS.Signals, () => void>>> = {}): Promise<string> {
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  return new Promise((resolve) => {
    const end = (signal: string) => {
      process.once('SIGINT', () => process.exit(130));
      process.once('SIGTERM', () => process.exit(143));
      resolve(signal);
    };
    process.once('SIGTERM', end);
    process.once('SIGINT', end);
    reader.on('gone', () => resolve('nobody reads'));
    for (const signal of CAUGHT) process.off(signal, remember);
    for (const signal of early.splice(0)) process.emit(signal, signal);
  });
}
