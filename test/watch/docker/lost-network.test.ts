import { expect, onTestFinished, test } from 'vitest';
import { createDockerLink } from '../../../src/watch/docker/links.ts';
import { startHttp } from '../../support/fake-node.ts';

/** What an inspection finds of a container with this mode and these networks. */
async function inspect(mode: unknown, networks: unknown) {
  const body = {
    ...{ Id: 'c1', Name: '/n1', State: { Status: 'running' } },
    ...{ HostConfig: { NetworkMode: mode }, NetworkSettings: { Networks: networks } },
  };
  const engine = await startHttp((_request, response) => response.end(JSON.stringify(body)));
  onTestFinished(engine.stop);
  const docker = createDockerLink(() => {});
  onTestFinished(docker.stop);
  docker.setAddress({ host: '127.0.0.1', port: Number(new URL(engine.url).port) });
  const found = await docker.inspect({ name: 'n1' }, 4_000, AbortSignal.timeout(4_000));
  return found.kind === 'found' ? found.container : undefined;
}

test.each([
  ['generated_docker_net', {}, 'generated_docker_net'],
  ['default', {}, 'bridge'],
  ['generated_docker_net', { generated_docker_net: { IPAddress: '192.168.25.13' } }, undefined],
  // A container that was stopped, or that uses the network of the machine or of another container.
  ['generated_docker_net', { generated_docker_net: { IPAddress: '' } }, undefined],
  ['host', {}, undefined],
  ['none', {}, undefined],
  ['slirp4netns', {}, undefined],
  ['container:0123456789ab', {}, undefined],
  ['a b', {}, undefined],
  [undefined, {}, undefined],
  ['generated_docker_net', null, undefined],
])('of a container made for %o that is in the networks %o, what it has lost is %o', async (mode, networks, lost) => {
  const container = await inspect(mode, networks);
  expect(container?.name).toBe('n1');
  expect(container?.lostNetwork).toBe(lost);
});
