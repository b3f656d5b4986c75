import { createRequire } from 'node:module';

/** A response, as far as it has been read. */
export interface Reply {
  /** 0 until a head has come; below 200 that of an informational answer, which others follow. */
  status: number;
  contentType: string;
  contentEncoding: string;
  /** The header `Keep-Alive`, such as `timeout=5`. */
  keepAlive: string;
  /** The other side keeps the connection open for the next request. */
  keepsOpen: boolean;
  /** The body, once it has come whole. Its bytes may be those of the last read, and are good until the next. */
  whole: Buffer | undefined;
  /** Of the header that is being read: its name, and its value as soon as that begins. */
  name: string;
  value: string | undefined;
  /** Bytes of heads and trailers so far. */
  headSize: number;
  /** The body of earlier reads, with room for more, and its length. Many small pieces must not take more memory than a large one. */
  body: Buffer | undefined;
  size: number;
}

/**
 * What a read leads to: `more` is missing, the response is `whole`, or it is `surplus`: whole, and bytes follow that nobody asked
 * for. Or it is `broken`, which means no HTTP, or `too-large`.
 */
export type ReadResult = 'more' | 'whole' | 'surplus' | 'broken' | 'too-large';

/** Reads responses. Each connection has a parser, which is a number. */
export interface ResponseParser {
  /** A parser for a new connection. */
  open(): number;
  /** Reads the next bytes of a response, at most `MOST_BYTES`, and keeps no view of them but in the reply. */
  read(parser: number, reply: Reply, bytes: Buffer): ReadResult;
  /** The other side has sent all, which may be the end of the response. */
  end(parser: number, reply: Reply): 'whole' | 'broken';
  /** Frees the memory of a parser. */
  close(parser: number): void;
}

/** llhttp in WebAssembly, as undici brings it. Its numbers are addresses in its own memory. */
interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, bytes: number, length: number): number;
  llhttp_finish(parser: number): number;
}

/** Part of the language, but TypeScript has it among the types of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Buffer) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** Bytes of the heads of one response, with its trailers. undici has the same limit. */
const MAX_HEAD_BYTES = 16 * 1024;

/** As many bytes are read at once, by TLS less. */
export const MOST_BYTES = 64 * 1024;

/** A body that comes in pieces has room for this many bytes at first. */
const LEAST_ROOM_BYTES = 16 * 1024;

/** A `llhttp_type`, and what its callbacks answer. */
const [RESPONSE, GO_ON, NO_BODY, STOP] = [2, 0, 1, -1];

const NO_BYTES: Buffer = Buffer.alloc(0);

/** A response of which nothing has been read. */
export const createReply = (): Reply => ({
  status: 0,
  contentType: '',
  contentEncoding: '',
  keepAlive: '',
  keepsOpen: false,
  whole: undefined,
  name: '',
  value: undefined,
  headSize: 0,
  body: undefined,
  size: 0,
});

/** Keeps the header that has been read, if it matters. The length of its name rules out most others. */
function keepHeader(reply: Reply): void {
  const { name, value } = reply;
  reply.name = '';
  reply.value = undefined;
  if (value === undefined) return;
  if (name.length === 12 && name.toLowerCase() === 'content-type') reply.contentType = value;
  else if (name.length === 16 && name.toLowerCase() === 'content-encoding') reply.contentEncoding = value;
  else if (name.length === 10 && name.toLowerCase() === 'keep-alive') reply.keepAlive = value;
}

/** Copies a piece to the end of the body. */
function append(reply: Reply, piece: Buffer): void {
  const { body, size } = reply;
  const end = size + piece.length;
  let room = body;
  if (room === undefined || room.length < end) {
    room = Buffer.allocUnsafeSlow(Math.max(2 * end, LEAST_ROOM_BYTES));
    body?.copy(room, 0, 0, size);
  }
  room.set(piece, size);
  reply.body = room;
  reply.size = end;
}

function compile(): object {
  const require = createRequire(import.meta.url);
  try {
    return new WebAssembly.Module(require('undici/lib/llhttp/llhttp_simd-wasm.js'));
  } catch {
    // Some processors have no SIMD.
    return new WebAssembly.Module(require('undici/lib/llhttp/llhttp-wasm.js'));
  }
}

/** Loads llhttp, for responses whose bodies have `maxBytes` at most. */
export function loadResponseParser(maxBytes: number): ResponseParser {
  // What a call of llhttp reads, and where the body begins and ends in it while that is one piece. A call is synchronous, and
  // between two of them all of this is empty.
  const nothing = createReply();
  let reply = nothing;
  let bytes = NO_BYTES;
  let bodyStart = 0;
  let bodyEnd = 0;

  const keepBody = (): void => {
    if (bodyEnd > 0) append(reply, bytes.subarray(bodyStart, bodyEnd));
    bodyEnd = 0;
  };
  const goOnWithHead = (length: number): number => {
    reply.headSize += length;
    return reply.headSize > MAX_HEAD_BYTES ? STOP : GO_ON;
  };
  const textAt = (at: number, length: number): string => {
    const start = at - space.byteOffset;
    return bytes.toString('latin1', start, start + length);
  };
  const env = {
    wasm_on_url: () => GO_ON,
    wasm_on_status: (_parser: number, _at: number, length: number) => goOnWithHead(length),
    // After the response, nobody asked for a message.
    wasm_on_message_begin: () => (reply.whole === undefined ? GO_ON : STOP),
    wasm_on_header_field: (_parser: number, at: number, length: number) => {
      if (reply.value !== undefined) keepHeader(reply);
      reply.name += textAt(at, length);
      return goOnWithHead(length);
    },
    wasm_on_header_value: (_parser: number, at: number, length: number) => {
      reply.value = (reply.value ?? '') + textAt(at, length);
      return goOnWithHead(length);
    },
    wasm_on_headers_complete: (_parser: number, status: number, _isUpgrade: number, keepsOpen: number) => {
      keepHeader(reply);
      reply.status = status;
      // What follows these two is not a body, whatever their length says.
      reply.keepsOpen = keepsOpen === 1 && status !== 204 && status !== 304;
      return status < 200 ? NO_BODY : GO_ON;
    },
    wasm_on_body: (_parser: number, at: number, length: number) => {
      const isFirst = reply.size === 0 && bodyEnd === 0;
      keepBody();
      if (reply.size + length > maxBytes) {
        reply.size += length;
        return STOP;
      }
      bodyStart = at - space.byteOffset;
      bodyEnd = bodyStart + length;
      if (!isFirst) keepBody();
      return GO_ON;
    },
    wasm_on_message_complete: () => {
      if (reply.status < 200) return GO_ON;
      const { body = NO_BYTES, size } = reply;
      reply.whole = bodyEnd > 0 ? bytes.subarray(bodyStart, bodyEnd) : body.subarray(0, size);
      bodyEnd = 0;
      return GO_ON;
    },
  };
  const llhttp = new WebAssembly.Instance(compile(), { env }).exports as Llhttp;
  const address = llhttp.malloc(MOST_BYTES);
  let space = new Uint8Array(llhttp.memory.buffer, address, MOST_BYTES);

  return {
    open: () => llhttp.llhttp_alloc(RESPONSE),
    read: (parser, read, chunk) => {
      // Memory that has grown is another buffer, and the view of the former one is empty.
      if (space.length === 0) space = new Uint8Array(llhttp.memory.buffer, address, MOST_BYTES);
      space.set(chunk);
      reply = read;
      bytes = chunk;
      const isGood = llhttp.llhttp_execute(parser, address, chunk.length) === 0;
      keepBody();
      reply = nothing;
      bytes = NO_BYTES;
      if (read.whole !== undefined) return isGood ? 'whole' : 'surplus';
      if (isGood) return 'more';
      return read.size > maxBytes ? 'too-large' : 'broken';
    },
    end: (parser, read) => {
      reply = read;
      const isGood = llhttp.llhttp_finish(parser) === 0;
      reply = nothing;
      return isGood && read.whole !== undefined ? 'whole' : 'broken';
    },
    close: (parser) => llhttp.llhttp_free(parser),
  };
}
