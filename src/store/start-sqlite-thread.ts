import { Worker } from 'node:worker_threads';
import { toWorkerUrl } from '../lib/process.ts';
import type { SqliteFile } from './sqlite-file.ts';

/** One call of a function of the file, by its name. */
export type Request = readonly [name: keyof SqliteFile, ...parameters: readonly unknown[]];

/** What it returned or threw. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly code: string | undefined };
}

/** The connection that writes, in a thread of its own. */
export interface SqliteThread {
  /** Calls a function there; the calls run in their order. Rejects with what it throws, with the code of SQLite or Node.js. */
  call<Name extends keyof SqliteFile>(
    name: Name,
    ...parameters: Parameters<SqliteFile[Name]>
  ): Promise<ReturnType<SqliteFile[Name]>>;
  /** Closes the file, and resolves when the thread has ended. */
  close(...parameters: Parameters<SqliteFile['close']>): Promise<void>;
}

/** How often it is checked whether the thread waits, and from when on that is slow. */
const CHECK_EVERY_MS = 1_000;

/**
 * The thread holds the process only while it is asked something. `onSlow` is called with how long a call has run so far, each
 * second from the second one on.
 */
export function startSqliteThread(onSlow: (ms: number) => void): SqliteThread {
  const worker = new Worker(toWorkerUrl('sqlite-worker', import.meta.url));
  worker.unref();
  /** When the call that runs has begun. */
  let begun = Number.POSITIVE_INFINITY;
  const clock = setInterval(() => {
    const ms = performance.now() - begun;
    if (waiting.length > 0 && ms >= CHECK_EVERY_MS) onSlow(ms);
  }, CHECK_EVERY_MS).unref();
  const waiting: { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void }[] = [];
  let gone: Error | undefined;
  let isClosing = false;
  const ended = Promise.withResolvers<void>();
  const end = (error: Error) => {
    clearInterval(clock);
    gone ??= Object.assign(error, { code: 'DATABASE_THREAD_ENDED' });
    for (const { reject } of waiting.splice(0)) reject(gone);
  };
  worker.on('online', () => {
    begun = performance.now();
  });
  worker.on('message', ({ value, error }: Answer) => {
    begun = performance.now();
    const call = waiting.shift();
    if (waiting.length === 0 && !isClosing) worker.unref();
    if (error === undefined) call?.resolve(value as never);
    else call?.reject(Object.assign(new Error(error.message), error.code !== undefined && { code: error.code }));
  });
  worker.on('error', end);
  worker.on('exit', () => {
    end(new Error('the thread that writes the database has ended'));
    ended.resolve();
  });
  const call: SqliteThread['call'] = (name, ...parameters) =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      // It throws for what no thread can be sent: then no answer comes, and nothing may wait for one.
      worker.postMessage([name, ...parameters] satisfies Request);
      if (waiting.push({ resolve, reject }) > 1) return;
      worker.ref();
      if (Number.isFinite(begun)) begun = performance.now();
    });
  return {
    call,
    close: async (...parameters) => {
      if (gone !== undefined) return;
      isClosing = true;
      try {
        await call('close', ...parameters);
      } finally {
        await ended.promise;
      }
    },
  };
}
