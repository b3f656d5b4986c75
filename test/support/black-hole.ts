import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Listens, accepts nothing, and never runs again. */
const LISTENER = `
const server = require('node:net').createServer();
server.listen(0, '127.0.0.1', 1, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** An address that answers no SYN: the queue of its listener is full. */
export async function startBlackHole(): Promise<{ readonly host: string; readonly stop: () => void }> {
  const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await createInterface(child.stdout)
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => [value as string]);
  const port = Number(line);
  const sockets: Socket[] = [];
  // The queue holds one more than its limit.
  for (let i = 0; i < 2; i += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
  }
  return {
    host: `127.0.0.1:${port}`,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      child.kill('SIGKILL');
    },
  };
}
