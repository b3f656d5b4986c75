import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addresses, compose, deployment, errors, FIXTURES, imported, targets, temporaryFolder } from './deployments.ts';

describe('names', () => {
  it.each([
    ['generated', 'generated'],
    ['My Subnet.v2', 'mysubnetv2'],
    ['__Dev-net_1', 'dev-net_1'],
  ])('of the folder %j give the compose project %s', (name, project) => {
    const folder = deployment({ 'docker-compose.yml': 'services: { subnet1: { image: xdc } }' }, name);
    expect(targets(folder).subnet1?.container).toEqual({ project, service: 'subnet1' });
  });

  it('of the compose file itself go before the folder', () => {
    const folder = compose('name: ${NAME:-Testnet}\nservices: { subnet1: { network_mode: host } }');
    expect(targets(folder).subnet1?.container).toEqual({ project: 'testnet', service: 'subnet1' });
  });

  it('that leave no compose project leave no container either, with a note', () => {
    const folder = deployment({ 'docker-compose.yml': 'services: { subnet1: { network_mode: host } }' }, '子网');
    expect(targets(folder).subnet1).toHaveProperty('container', undefined);
    expect(imported(folder).notes).toEqual([expect.stringContaining('add each container by hand')]);
  });

  it.each(['${HOME}', 'a$b', '$${c', 'd: #e', 'f\'"g', '&h', 'i, j]', 'k\nl', '- m'])(
    'of folders such as %j are unchanged in the inventory',
    (name) => {
      const folder = deployment(
        { 'docker-compose.yml': "services: { subnet1: { volumes: ['${HOSTPWD}/xdcchain1:/work/xdcchain'] } }" },
        name,
      );
      expect(targets(folder).subnet1).toMatchObject({
        ipc: join(folder, 'xdcchain1/XDC.ipc'),
        logFiles: [{ path: join(folder, 'xdcchain1/xdc.log') }],
      });
    },
  );
});

describe('the compose file', () => {
  it('may use the long forms, anchors and merge keys', () => {
    const folder = compose(`
x-node: &node
  image: xdc
  volumes:
    - { type: bind, source: ./data, target: /work/xdcchain/ }
    - { type: volume, source: logs, target: /app/logs }
services:
  subnet1:
    <<: *node
    volumes: [./data1:/work/xdcchain]
    ports:
      - { target: 8545, published: 1, protocol: udp }
      - { target: 8545, published: "\${RPC:-18545}" }
  subnet2: { <<: *node, ports: ['1:8546/udp', '127.0.0.1:18546:8546/tcp'] }
  stats: { ports: ['9999:9999', 3000, '15213:5213'], environment: { STATS_PORT: 5213 }, volumes: ['logs:/app/logs'] }
`);
    expect(addresses(folder)).toEqual({
      subnet1: 'http://127.0.0.1:18545',
      subnet2: 'http://127.0.0.1:18546',
      stats: 'http://127.0.0.1:15213',
    });
    expect(targets(folder).subnet2).toMatchObject({ ipc: join(folder, 'data/XDC.ipc') });
    expect(targets(folder).stats?.logFiles).toEqual([]);
  });

  it.each([
    '{ ports: 8545, volumes: data, env_file: 7, networks: [docker_net], profiles: machine1, environment: text }',
    '{ ports: [null, {}, [1], -3, 1.5, "x:y", "99999:8545"], volumes: [null, 3, {}, ":", "a:b:c:d"], env_file: [null] }',
    '{ ports: { a: 1 }, volumes: { a: 1 }, env_file: { a: 1 }, networks: { a: null, b: 3 }, profiles: { a: 1 } }',
    '{ image: [1], network_mode: [host], environment: [null, [1], { RPCPORT: 1 }, RPCPORT], profiles: [null, 3] }',
    '{ networks: { docker_net: { ipv4_address: 300.1.1.1 } }, environment: { RPCPORT: [1], PORT: null } }',
  ])('with a node of odd shapes, %s, still gives the usual node', (node) => {
    const folder = compose(`services: { subnet1: ${node}, stats: {}, relayer: null, frontend: text, explorer: }`);
    expect(addresses(folder)).toEqual({ subnet1: 'http://127.0.0.1:8545' });
  });

  it.each([
    ['an empty file', '', 'DIR/docker-compose.yml:1:1: the file has no services, so it is not a compose file; '],
    ['a list', '- a', 'DIR/docker-compose.yml:1:1: the file has no services, so it is not a compose file; '],
    [
      'services as a list',
      'name: x\nservices:\n  - subnet1\n',
      'DIR/docker-compose.yml:3:3: services must be a mapping',
    ],
    ['services without value', 'services:\n', 'DIR/docker-compose.yml:1:10: services must be a mapping'],
    ['a node as text', 'services:\n  subnet1: xdc\n', 'DIR/docker-compose.yml:2:12: subnet1 must be a mapping'],
    [
      'another project',
      'services: { web: { image: nginx } }',
      'DIR/docker-compose.yml has no service subnet1 or masternode1',
    ],
    [
      'only stubs',
      'services: { subnet1: {}, subnet2: }',
      'DIR/docker-compose.yml has no service subnet1 or masternode1',
    ],
    ['broken YAML', 'services:\n  subnet1: {\n', 'DIR/docker-compose.yml:3:1: the YAML is broken (Flow map'],
    [
      'a key twice',
      'services: { a: 1, a: 2 }',
      'DIR/docker-compose.yml:1:19: the YAML is broken (Map keys must be unique',
    ],
    ['a missing anchor', 'services: *a', 'DIR/docker-compose.yml:1:11: some aliases cannot be resolved'],
  ])('of %s is a problem with its place', (_, text, start) => {
    expect(errors(compose(text))).toEqual([expect.stringContaining(start)]);
  });

  it('whose aliases multiply without end is refused', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i}, `.repeat(9)}*x${i}]\n`);
    expect(errors(compose(`x0: &x0 [a]\n${levels.join('')}services: *x12\n`))).toEqual([
      expect.stringContaining('some aliases cannot be resolved'),
    ]);
  });
});

describe('another folder', () => {
  it('that is missing or not a folder is reported as such', () => {
    const folder = compose('services: {}');
    const usual = 'give the folder that the deployment generator wrote, usually called generated.';
    expect(errors(join(folder, 'missing'))).toEqual([`DIR does not exist; ${usual}`]);
    expect(errors(join(folder, 'docker-compose.yml'))).toEqual([`DIR is not a folder; ${usual}`]);
  });

  it('without a compose file names the files that were searched for', () => {
    expect(errors(temporaryFolder())).toEqual([
      'DIR has no compose.yaml, compose.yml, docker-compose.yml or docker-compose.yaml; give the folder that the deployment generator wrote, usually called generated.',
    ]);
  });

  it('that contains the right one names it', () => {
    expect(errors(join(FIXTURES, 'v2.0.0/wizard'))).toEqual([
      'DIR has no compose.yaml, compose.yml, docker-compose.yml or docker-compose.yaml, but DIR/generated has; import that folder.',
    ]);
  });
});
