import { parentPort } from 'node:worker_threads';
import { collectGarbageSoon } from '../lib/process.ts';
import { createSqliteFile } from './sqlite-file.ts';
import type { Answer, Request } from './start-sqlite-thread.ts';

/** The thread that writes a SQLite file: it answers one request after the other, and ends after `close`. */
function serve(port: NonNullable<typeof parentPort>): void {
  const file = createSqliteFile() as Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>>;
  const answer = ([name, ...parameters]: Request): Answer => {
    try {
      return { value: file[name]?.(...parameters) };
    } catch (error) {
      // A thread is sent the message of an error, but not the code by which SQLite and Node.js say what it is.
      const { message, code } = error as NodeJS.ErrnoException;
      return { error: { message, code } };
    }
  };
  port.on('message', (request: Request) => {
    port.postMessage(answer(request));
    if (request[0] === 'close') port.close();
  });
}

if (parentPort !== null) {
  serve(parentPort);
  // It allocates so little that its heap is hardly ever collected: what its start leaves there would stay for hours.
  collectGarbageSoon();
}
