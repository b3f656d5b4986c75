import { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { SshFault } from '../../model/observation.ts';
import { toSshError } from './ssh-connection.ts';

const MAX_STDERR = 4_096;

/** Why the program ended before it gave an answer; what it printed is read by subnetd alone. */
function toFault(exitCode: number, stderr: string): SshFault {
  if (/permission denied/i.test(stderr)) return 'ssh-no-right';
  // As `docker system dial-stdio` says that it cannot open the engine's socket.
  if (exitCode !== 127 && /dial unix|cannot connect to the docker daemon/i.test(stderr)) return 'ssh-engine-down';
  return 'ssh-no-program';
}

/** What Node's HTTP client calls on a socket. */
function withSocketMethods(stream: Duplex): Duplex {
  const nothing = () => stream;
  return Object.assign(stream, {
    setKeepAlive: nothing,
    setNoDelay: nothing,
    setTimeout: nothing,
    ref: nothing,
    unref: nothing,
  });
}

/**
 * The stdin and stdout of a program behind ssh as a socket. It breaks off with a fault when the program ends without an
 * answer, and with ECONNRESET when the connection is lost.
 */
export function toSocket(channel: ClientChannel): Duplex {
  let hasAnswered = false;
  let stderr = '';
  let exitCode: number | null | undefined;
  const socket = new Duplex({
    allowHalfOpen: false,
    read: () => void channel.resume(),
    write: (chunk, _, done) => void channel.write(chunk, done),
    final: (done) => {
      channel.end();
      done();
    },
    destroy: (error, done) => {
      channel.destroy();
      // The end is reported only after all data was read.
      channel.resume();
      done(error);
    },
  });
  const end = () => {
    if (exitCode === undefined) socket.destroy(Object.assign(new Error('ssh is lost'), { code: 'ECONNRESET' }));
    else if (hasAnswered || exitCode === 0) socket.push(null);
    else socket.destroy(toSshError(toFault(exitCode ?? -1, stderr)));
  };
  // One that nobody uses at the moment may break too.
  socket.on('error', () => {});
  channel.on('error', () => {});
  channel.stderr.on('error', () => {});
  channel.on('data', (chunk: Buffer) => {
    hasAnswered = true;
    if (!socket.destroyed && !socket.push(chunk)) channel.pause();
  });
  channel.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString('latin1');
  });
  channel.on('exit', (code: number | null) => {
    exitCode = code;
  });
  channel.on('close', () => {
    if (!socket.destroyed) end();
  });
  return withSocketMethods(socket);
}
