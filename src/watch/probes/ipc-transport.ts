import { connect, type Socket } from 'node:net';
import { isSocketPathTooLong } from '../../lib/addresses.ts';
import { isRecord, parseJson } from '../../lib/values.ts';
import type { Fault } from '../../model/observation.ts';
import { atDeadline } from './at-deadline.ts';
import {
  type Exchange,
  MAX_ANSWER_BYTES,
  type ReadResponse,
  type RpcTransport,
  type TransportRequest,
  toSocketFault,
} from './transport.ts';

/** The messages that a chunk completed, as bytes. `broken`: why nothing more can be read. */
interface ReadMessages {
  readonly messages: readonly Buffer[];
  readonly broken?: 'garbage' | 'too-large';
}

/** Splits a byte stream into messages. */
type MessageCutter = ReturnType<typeof createMessageCutter>;

const [NEWLINE, OPEN_BRACKET, OPEN_BRACE] = [0x0a, 0x5b, 0x7b];

/** Splits messages that each end with a newline, as Go's JSON encoder writes them (XDC-Subnet rpc/json.go). */
export function createMessageCutter(maxBytes: number) {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): ReadMessages['broken'] => {
    if (part.length === 0) return undefined;
    if (size === 0 && part[0] !== OPEN_BRACE && part[0] !== OPEN_BRACKET) return 'garbage';
    parts.push(part);
    size += part.length;
    return size > maxBytes ? 'too-large' : undefined;
  };
  return {
    /** Adds the next chunk. After `broken` the stream cannot continue. */
    push: (chunk: Buffer): ReadMessages => {
      const messages: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        const broken = keep(chunk.subarray(start, end));
        if (broken) return { messages, broken };
        if (size > 0) messages.push(Buffer.concat(parts));
        parts = [];
        size = 0;
        start = end + 1;
      }
      const broken = keep(chunk.subarray(start));
      return broken ? { messages, broken } : { messages };
    },
    /** Is a message incomplete? */
    isMidMessage: (): boolean => size > 0,
  };
}

interface Connection {
  readonly socket: Socket;
  readonly messages: MessageCutter;
  /** The exchange that waits for its response. */
  waiting?: { readonly receive: (value: Buffer) => void; readonly fail: (fault: Fault) => void };
}

/**
 * Collects the answers to a request of `calls` calls: one list, or single messages by their ids in any order. Undefined
 * while some are missing; messages with unknown ids are ignored.
 */
function createAnswerCollector(calls: number): (value: Buffer) => Buffer | undefined {
  const collected = new Map<number, Buffer>();
  return (value) => {
    if (value[0] === OPEN_BRACKET) return value;
    const message = parseJson(value.toString());
    const id = isRecord(message) ? message.id : null;
    if (id === null) return value;
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 1 || id > calls) return undefined;
    if (calls === 1) return value;
    collected.set(id, value);
    return collected.size === calls ? Buffer.from(`[${[...collected.values()].map(String).join()}]`) : undefined;
  };
}

/**
 * A transport over a node's IPC socket: a unix stream of JSON messages, one per line (XDC-Subnet rpc/ipc_unix.go,
 * rpc/json.go). The connection is reused. After any failure it is closed, so that no late answer is mistaken for that of
 * another call. Every answer counts as HTTP 200.
 */
export function createIpcTransport(path: string): RpcTransport {
  let open: Connection | undefined;
  let isClosed = false;

  const drop = (connection: Connection): void => {
    if (open === connection) open = undefined;
    connection.waiting?.fail({ kind: 'closed', address: `unix:${path}` });
    connection.waiting = undefined;
    connection.socket.destroy();
  };

  const dial = (): Connection => {
    const connection: Connection = { socket: connect(path), messages: createMessageCutter(MAX_ANSWER_BYTES) };
    const { socket, messages } = connection;
    const fail = (fault: Fault) => {
      connection.waiting?.fail(fault);
      drop(connection);
    };
    socket.on('data', (chunk: Buffer) => {
      const { messages: whole, broken } = messages.push(chunk);
      for (const message of whole) connection.waiting?.receive(message);
      if (broken === 'too-large') fail({ kind: 'too-large', maxBytes: MAX_ANSWER_BYTES });
      else if (broken === 'garbage') fail({ kind: 'not-json', looksLike: 'other' });
    });
    let code: string | undefined = 'ended';
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code;
    });
    socket.on('end', () => messages.isMidMessage() && fail({ kind: 'not-json', looksLike: 'cut' }));
    socket.on('close', () => {
      const { waiting } = connection;
      connection.waiting = undefined;
      drop(connection);
      if (waiting) void toSocketFault(path, code).then(waiting.fail);
    });
    return connection;
  };

  const exchange = async <T>(
    { body }: TransportRequest,
    read: ReadResponse<T>,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<Exchange<T>> => {
    // A socket takes calls only.
    if (isClosed || signal?.aborted || body === undefined)
      return { ok: false, fault: { kind: 'closed', address: `unix:${path}` } };
    if (isSocketPathTooLong(path)) return { ok: false, fault: { kind: 'socket', path, state: 'too-long' } };
    const started = performance.now();
    const reused = open !== undefined;
    const connection = open ?? dial();
    open = connection;
    const collect = createAnswerCollector(body.startsWith('[') ? (JSON.parse(body) as readonly unknown[]).length : 1);
    const { promise, resolve } = Promise.withResolvers<Exchange<T>>();
    const fail = (fault: Fault) => resolve({ ok: false, fault, stale: reused && fault.kind === 'closed' });
    const cancelDeadline = atDeadline(
      deadline,
      () => !connection.socket.connecting,
      () => {
        fail({
          kind: 'timeout',
          address: `unix:${path}`,
          afterMs: Math.round(performance.now() - started),
          received: connection.messages.isMidMessage(),
        });
        drop(connection);
      },
    );
    const receive = (value: Buffer) => {
      const answer = collect(value);
      if (answer === undefined) return;
      connection.waiting = undefined;
      const response = { status: 200, contentType: 'application/json', body: answer };
      resolve({ ok: true, value: read(response) });
    };
    const onAbort = () => {
      resolve({ ok: false, fault: { kind: 'closed', address: `unix:${path}` } });
      drop(connection);
    };
    signal?.addEventListener('abort', onAbort);
    connection.waiting = { receive, fail };
    connection.socket.write(`${body}\n`);
    const outcome = await promise;
    cancelDeadline();
    signal?.removeEventListener('abort', onAbort);
    return outcome;
  };

  return {
    connection: () => (open === undefined ? 'new' : 'reused'),
    exchange,
    close: () => {
      isClosed = true;
      if (open) drop(open);
    },
  };
}
