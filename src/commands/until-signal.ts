import { EventEmitter } from 'node:events';

const unread = new EventEmitter();

/** Tells that nobody reads what is printed any more; false when nothing runs that would end by it. */
export const tellUnread = (): boolean => unread.emit('unread');

/**
 * Resolves with the first SIGTERM or SIGINT, or when nobody reads what is printed any more; other signals can be given
 * handlers meanwhile. A second SIGTERM or SIGINT ends at once.
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
    unread.on('unread', () => resolve('unread'));
  });
}
