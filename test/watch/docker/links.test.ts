import { expect, it } from 'vitest';
import { createDockerLinks } from '../../../src/watch/docker/links.ts';
import { eventually } from '../../support/cli.ts';
import { startHttp } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

/** An engine with one container n, whose id is this; one that hangs takes requests and answers none. */
async function startFake(id: string, hangs = false) {
  const opened: string[] = [];
  const server = await startHttp(({ url = '' }, response) => {
    opened.push(url);
    if (hangs) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const event = { Type: 'container', Action: 'start', Actor: { ID: id, Attributes: { name: 'n' } }, timeNano: 1e18 };
    if (url.startsWith('/events')) response.write(`${JSON.stringify(event)}\n`);
    else response.end(JSON.stringify({ Id: id, Name: '/n', State: { Status: 'exited', ExitCode: 0 } }));
  });
  cleanups.push(server.stop);
  const { hostname, port } = new URL(server.url);
  return { address: { host: hostname, port: Number(port) }, opened };
}

it('each container is asked for on its own engine, events carry their engine, and one that hangs delays no other', async () => {
  const [one, two, hanging] = [await startFake('a1'), await startFake('b2'), await startFake('c3', true)];
  const events: string[] = [];
  const links = createDockerLinks(({ id, name }, engine) => events.push(`${engine} ${name} ${id}`));
  cleanups.push(links.stop);
  links.setEngines({ default: one.address, machine2: two.address, machine3: hanging.address });
  // The first request waits for dockerode to be loaded.
  await links.inspect({ name: 'n' }, 10_000);
  const slow = links.inspect({ name: 'n', engine: 'machine3' }, 1_500);
  expect(await links.inspect({ name: 'n' }, 1_000)).toMatchObject({ container: { id: 'a1' } });
  expect(await links.inspect({ name: 'n', engine: 'machine2' }, 1_000)).toMatchObject({ container: { id: 'b2' } });
  expect(await slow).toMatchObject({ kind: 'docker-unreachable', why: { code: 'timeout' } });
  await eventually(() => expect(events.toSorted()).toEqual(['default n a1', 'machine2 n b2']));
  expect(Object.fromEntries(links.areUp())).toEqual({ default: true, machine2: true, machine3: false });
});

it('a reload ends the link to an engine that is gone, and leaves the others as they are', async () => {
  const [one, two] = [await startFake('a1'), await startFake('b2')];
  const links = createDockerLinks(() => {});
  cleanups.push(links.stop);
  links.setEngines({ machine1: one.address, machine2: two.address });
  await eventually(() => expect(Object.fromEntries(links.areUp())).toEqual({ machine1: true, machine2: true }));
  links.setEngines({ machine2: two.address });
  expect(Object.fromEntries(links.areUp())).toEqual({ machine2: true });
  expect(await links.exec({ name: 'n', engine: 'machine1' }, ['true'], 1_000)).toEqual({ ok: false, why: 'docker' });
  expect(await links.inspect({ name: 'n', engine: 'machine2' }, 1_000)).toMatchObject({ container: { id: 'b2' } });
  expect(two.opened.filter((path) => path.startsWith('/events'))).toHaveLength(1);
});
