import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** What RFC 6455 appends to the key of a client. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 0x81;
const CLOSE = 0x88;
/** The longest text here: its length is in two bytes. */
const MOST_BYTES = 65_535;

function toFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) throw new Error('too long for this server');
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from([TEXT, ...length]), bytes]);
}

/** The whole short frames of a client, whose bytes are masked. */
function readFrames(bytes: Buffer): readonly { readonly kind: number | undefined; readonly text: string }[] {
  const frames: { readonly kind: number | undefined; readonly text: string }[] = [];
  for (let rest = bytes; rest.length >= 6; ) {
    const length = (rest[1] ?? 0) & 127;
    if (length > 125) throw new Error('too long for this server');
    const mask = rest.subarray(2, 6);
    const text = rest.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    frames.push({ kind: rest[0], text: Buffer.from(text).toString() });
    rest = rest.subarray(6 + length);
  }
  return frames;
}

/** A server of HTTP and, at each address, of WebSockets, on a free port of the loopback address. */
export async function startWebSocketServer(
  onRequest: RequestListener,
  onSocket: (send: (text: string) => void, path: string) => void,
) {
  const texts: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer(onRequest);
  server.on('upgrade', ({ headers, url = '' }, socket) => {
    sockets.add(socket);
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const end = () => socket.end(Buffer.from([CLOSE, 0]));
    socket.on('data', (bytes: Buffer) => {
      for (const { kind, text } of readFrames(bytes)) {
        if (kind === TEXT) texts.push(text);
        if (kind === CLOSE) end();
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    onSocket((text) => socket.write(toFrame(text)), url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** What clients have sent. */
    texts,
    /** How many are connected. */
    connections: () => sockets.size,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
