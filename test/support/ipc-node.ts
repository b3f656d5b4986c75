import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** One message of a request, as it came. */
export interface IpcMessage {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node's IPC server does with each JSON value that it reads. */
export type IpcBehaviour = (value: IpcMessage | readonly IpcMessage[], socket: Socket) => void;

const block = { Number: 1234, Timestamp: 1_732_174_920, Error: '', Hash: '0x00', Committed: false };
const peers = ['aa', 'bb', 'cc'].map((id) => ({ id, name: 'a "quoted" } name', caps: [] }));

/** A healthy node's result for a method; undefined when it has none. */
const resultOf = (method: string): unknown =>
  ({
    XDPoS_getV2BlockByNumber: block,
    admin_peers: peers,
    net_peerCount: '0x3',
    rpc_modules: { admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' },
  })[method];

const answer = ({ id, method }: IpcMessage) => ({ jsonrpc: '2.0', id, result: resultOf(method) });

/** A healthy answer as Go's encoder writes it: one value and a newline, a list for a list. */
export const answerText = (value: IpcMessage | readonly IpcMessage[]): string =>
  `${JSON.stringify(Array.isArray(value) ? value.map(answer) : answer(value as IpcMessage))}\n`;

/** The single messages in a value that was read. */
export const messagesOf = (value: IpcMessage | readonly IpcMessage[]): readonly IpcMessage[] =>
  Array.isArray(value) ? value : [value as IpcMessage];

/** A folder for sockets with a short path, gone after the test. */
export async function socketFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ipc-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A node's socket: it reads a request from each line, and answers as `behave` does. */
export async function startIpcNode(behave: IpcBehaviour = (value, socket) => void socket.write(answerText(value))) {
  const path = join(await socketFolder(), 'XDC.ipc');
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const lines = createInterface(socket).on('line', (line) => behave(JSON.parse(line), socket));
    // It repeats the errors of the socket.
    lines.on('error', () => {});
  });
  const listen = () => new Promise<void>((resolve) => server.listen(path, resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen();
  onTestFinished(close);
  return { path, listen, close, sockets, connections: () => connections };
}
