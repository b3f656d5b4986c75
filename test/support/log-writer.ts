import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** A program that writes numbered lines to a file, 25 at a time. */
export interface LogWriter {
  /**
   * Lets it open a path, as programs do after a signal that their log was rotated. Resolves to the first line's number.
   */
  reopen(path: string): Promise<number>;
  /** Ends it; resolves to the number of lines that it wrote. */
  stop(): Promise<number>;
}

const PROGRAM = `
const fs = require('node:fs');
let fd = fs.openSync(process.argv[1], 'a');
let lines = 0;
let stopped = false;
process.on('message', ({ path }) => {
  if (path === undefined) { stopped = true; return; }
  fs.closeSync(fd);
  fd = fs.openSync(path, 'a');
  process.send(lines);
});
const write = () => {
  if (stopped) { process.send(lines, () => process.exit()); return; }
  for (let count = 0; count < 25; count++) fs.writeSync(fd, 'line ' + lines++ + '\\n');
  setTimeout(write, Number(process.argv[2]));
};
write();
`;

/** Starts it on a file, in a process of its own, with so many milliseconds between its writes. */
export function startLogWriter(path: string, everyMs = 1): LogWriter {
  const child = spawn(process.execPath, ['-e', PROGRAM, path, String(everyMs)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ask = async (message: { readonly path?: string }): Promise<number> => {
    const answer = once(child, 'message');
    child.send(message);
    const [lines] = await answer;
    return lines as number;
  };
  return { reopen: (next) => ask({ path: next }), stop: () => ask({}) };
}
