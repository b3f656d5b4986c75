import { expect, it } from 'vitest';
import { createDockerLink } from '../../../src/watch/docker/links.ts';
import { eventually } from '../../support/cli.ts';
import { startHttp } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

it('an engine that hangs is down until it answers again, although its event stream is open', async () => {
  let mute = (path: string) => path.includes('never');
  const server = await startHttp(({ url = '' }, response) => {
    if (mute(url)) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    if (url.includes('/events')) response.flushHeaders();
    else response.end('[]');
  });
  const link = createDockerLink(() => {});
  cleanups.push(server.stop, link.stop);
  const { hostname, port } = new URL(server.url);
  link.setAddress({ host: hostname, port: Number(port) });
  const look = (service: string, ms = 20_000) => link.inspect({ project: 'p', service }, ms);
  await eventually(() => expect(link.isUp()).toBe(true));
  expect(await look('a')).toEqual({ kind: 'missing' });

  mute = () => true;
  const hanging = look('a', 100);
  expect(await hanging).toMatchObject({ kind: 'docker-unreachable' });
  expect(link.isUp()).toBe(false);

  mute = (path) => path.includes('never');
  expect(await look('a')).toEqual({ kind: 'missing' });
  expect(link.isUp()).toBe(true);

  // One container that cannot be inspected, while others can, does not mean that the engine hangs.
  const slow = look('never', 500);
  expect(await look('a')).toEqual({ kind: 'missing' });
  expect(await slow).toMatchObject({ kind: 'docker-unreachable' });
  expect(link.isUp()).toBe(true);

  // Nor does an inspection that is aborted from outside.
  const end = new AbortController();
  const ended = link.inspect({ project: 'p', service: 'never' }, 5_000, end.signal);
  end.abort();
  expect(await ended).toMatchObject({ kind: 'docker-unreachable' });
  expect(link.isUp()).toBe(true);
});
