import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { endProcess, findProgram, hasEnded, until } from './engine.ts';

/** A real ssh server on loopback with one user, who may run one command. */
export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** The private keys: one that it accepts, one that it does not, and the one it accepts with the passphrase `open sesame`. */
  readonly keys: { readonly good: string; readonly strange: string; readonly locked: string };
  /** Writes a known_hosts with its key for a port, and gives the path. */
  knownHosts(port?: number): Promise<string>;
  /** Another host key, as of a machine that was set up again. */
  readonly otherHostKey: string;
  /** A file of the server's folder. */
  path(name: string): string;
  /** How many connections have signed in so far. */
  signIns(): Promise<number>;
  /** How many channels have been opened. */
  channels(): Promise<number>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answersAt = async (port: number): Promise<boolean> => {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
};

/**
 * Starts Debian's `sshd` in the foreground. `command` is the forced command of the key, as the documentation shows it; `lines` are
 * added to its configuration.
 */
export async function startSshd(command: string, lines: readonly string[] = []): Promise<Sshd> {
  const program = findProgram('sshd', 'openssh-server');
  const keygen = findProgram('ssh-keygen', 'openssh-client');
  const folder = await mkdtemp(join(tmpdir(), 'sshd-'));
  const at = (name: string): string => join(folder, name);
  const makeKey = (name: string, passphrase = '') =>
    void execFileSync(keygen, ['-q', '-t', 'ed25519', '-N', passphrase, '-C', name, '-f', at(name)]);
  for (const name of ['host', 'other-host', 'good', 'strange']) makeKey(name);
  makeKey('locked', 'open sesame');
  const publicKeys = await Promise.all(['good', 'locked'].map((name) => readFile(at(`${name}.pub`), 'utf8')));
  const authorized = publicKeys.map((key) => `command="${command.replaceAll('"', '\\"')}",restrict ${key}`);
  await writeFile(at('authorized_keys'), authorized.join(''));
  await chmod(folder, 0o700);
  // As Debian's service does.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });

  const port = await freePort();
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized_keys')}`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'LogLevel VERBOSE',
    ...lines,
  ];
  await writeFile(at('config'), `${settings.join('\n')}\n`);
  const child: ChildProcess = spawn(program, ['-D', '-f', at('config'), '-E', at('log')], { stdio: 'ignore' });
  const endLast = (): void => void child.kill('SIGTERM');
  process.once('exit', endLast);
  const readLog = () => readFile(at('log'), 'utf8').catch(() => '');
  const count = async (pattern: RegExp): Promise<number> => (await readLog()).match(pattern)?.length ?? 0;
  await until(
    async () => {
      if (hasEnded(child)) throw new Error(`sshd has ended:\n${await readLog()}`);
      return answersAt(port);
    },
    'an answer of sshd',
    10_000,
  );
  return {
    port,
    user: userInfo().username,
    keys: { good: at('good'), strange: at('strange'), locked: at('locked') },
    otherHostKey: at('other-host'),
    path: at,
    knownHosts: async (asked = port) => {
      const path = at(`known_hosts_${asked}`);
      await writeFile(path, `[127.0.0.1]:${asked} ${await readFile(at('host.pub'), 'utf8')}`);
      return path;
    },
    signIns: () => count(/^Accepted publickey/gm),
    channels: () => count(/^Starting session: forced-command/gm),
    stop: async () => {
      await endProcess(child);
      process.off('exit', endLast);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
