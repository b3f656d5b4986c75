import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openListener } from '../../src/demo/listener.ts';

it('no port is one that Linux gives by itself to whoever connects', async () => {
  const listeners = await Promise.all(Array.from({ length: 20 }, () => openListener('127.0.0.1', () => {})));
  const ports = listeners.map(({ url }) => Number(new URL(url).port));
  expect(new Set(ports).size).toBe(20);
  expect(Math.max(...ports)).toBeLessThan(32_768);
  await Promise.all(listeners.map(({ close }) => close()));
});

it('an address comes back on its own port, and waits while another program has that', async () => {
  const listener = await openListener('127.0.0.1', (_request, response) => response.end('here'));
  const { port } = new URL(listener.url);
  await listener.close();
  await expect(fetch(listener.url)).rejects.toThrow();
  const other = createServer().listen(Number(port), '127.0.0.1');
  await once(other, 'listening');
  let isOpen = false;
  const opening = listener.open().then(() => {
    isOpen = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isOpen).toBe(false);
  other.close();
  await opening;
  expect(await (await fetch(listener.url)).text()).toBe('here');
  await listener.close();
});

it('no other process with a demo takes a port that is closed for a while', async () => {
  const listener = await openListener('127.0.0.1', () => {});
  const port = Number(new URL(listener.url).port);
  await listener.close();
  // The guard of its block still listens, so another process goes on to another block.
  const guard = createServer();
  guard.listen(port - (port % 64), '127.0.0.1');
  await expect(once(guard, 'listening')).rejects.toThrow('EADDRINUSE');
  await listener.open();
  await listener.close();
});
