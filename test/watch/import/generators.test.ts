import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { importDeployment } from '../../../src/watch/import/import-deployment.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { addresses, deployment, errors, imported, subnet, targets, temporaryFolder } from './deployments.ts';

const KEY = 'ca11a57e'.repeat(8);

/** What a generator of 2026 writes for one node: its service, and the name and text of its env file. */
function generatedNode(key: 'subnet' | 'masternode', i: number, nethermind: boolean, machine: number, host: boolean) {
  const [rpc, p2p, ws] = [8544 + i, 20302 + i, 9554 + i];
  const folder = key === 'subnet' ? '${HOSTPWD}' : '.';
  const go =
    key === 'subnet'
      ? { image: 'xinfinorg/xdcsubnets:v0.3.2', rpcPort: 'RPCPORT', level: 'LOG_LEVEL=2\n' }
      : { image: 'xinfinorg/xdposchain:v2.6.4-beta', rpcPort: 'RPC_PORT', level: 'LOG_LEVEL=4\n' };
  const file = `${key}${i}${nethermind ? 'nmc' : ''}.env`;
  const service = {
    image: nethermind ? 'nethermindeth/nethermind:master-d4ef4fd' : go.image,
    volumes: [`${folder}/xdcchain${i}:/work/xdcchain`],
    restart: 'always',
    ...(host && !nethermind && { network_mode: 'host' }),
    env_file: [file],
    profiles: [`machine${machine}`],
    ports: [p2p, rpc, ws].flatMap((port) => [`${port}:${port}/tcp`, `${port}:${port}/udp`]),
    networks: { docker_net: { ipv4_address: `192.168.25.${(key === 'subnet' ? 10 : 50) + i}` } },
  };
  const env = nethermind
    ? `\nNETHERMIND_JSONRPCCONFIG_PORT=${rpc}\nNETHERMIND_NETWORKCONFIG_P2PPORT=${p2p}\nNETHERMIND_KEYSTORECONFIG_TESTNODEKEY=0x${KEY}\n`
    : `\nINSTANCE_NAME=${key}${i}\nPRIVATE_KEY=${KEY}\nPORT=${p2p}\n${go.rpcPort}=${rpc}\nSTATS_SECRET=canary\n${go.level}`;
  return { service, file, env };
}

interface Generated {
  readonly key: 'subnet' | 'masternode';
  readonly nethermind: number;
  readonly machines?: number;
  /** Whether Go nodes are on the network of the host, as in the private networks of older generators. */
  readonly host?: boolean;
}

/** A folder of four nodes as a generator of 2026 writes it; the last nodes run Nethermind. */
function generated({ key, nethermind, machines = 1, host = false }: Generated): string {
  const nodes = [1, 2, 3, 4].map((i) => ({
    name: `${key}${i}`,
    ...generatedNode(key, i, i > 4 - nethermind, Math.ceil((i * machines) / 4), host),
  }));
  const services = {
    ...Object.fromEntries(nodes.map(({ name, service }) => [name, service])),
    bootnode: { image: 'xinfinorg/xdcsubnets:v0.3.1', ports: ['20301:20301/tcp'], profiles: ['machine1'] },
  };
  return deployment({
    'docker-compose.yml': stringify({ services }),
    'genesis_input.yml': 'name: devnet\n',
    'keys.json': KEY,
    ...Object.fromEntries(nodes.map(({ file, env }) => [file, env])),
  });
}

const KINDS = (['subnet', 'masternode'] as const).flatMap((key) =>
  [0, 1, 4].flatMap((nethermind) => [1, 2].map((machines) => ({ key, nethermind, machines }))),
);

describe('a folder of the generators of 2026', () => {
  it.each(KINDS)('with nodes $key, $nethermind of Nethermind, on $machines machines, is a subnet of four', (kind) => {
    const { targets: all, name } = subnet(imported(generated(kind)).yaml);
    expect(name).toBe('devnet');
    expect(all.filter(({ component }) => component === 'node')).toEqual(
      [1, 2, 3, 4].map((i) => expect.objectContaining({ name: `${kind.key}${i}`, expectedPeers: 3 })),
    );
  });

  it('gives each node the log and the socket of its client', () => {
    for (const key of ['subnet', 'masternode'] as const) {
      const folder = generated({ key, nethermind: 1 });
      const { [`${key}3`]: go, [`${key}4`]: nethermind } = targets(folder);
      expect(go).toMatchObject({
        ipc: join(folder, 'xdcchain3/XDC.ipc'),
        logFiles: [{ path: join(folder, 'xdcchain3/xdc.log') }],
      });
      expect(nethermind).toMatchObject({
        rpc: 'http://127.0.0.1:8548',
        container: { project: 'generated', service: `${key}4` },
        ipc: undefined,
        logFiles: [{ path: join(folder, 'xdcchain4/logs/xdc.log') }],
      });
    }
  });

  it.each([
    ['subnet', 0, 'subnet2.env', 'RPCPORT', 'PORT'],
    ['masternode', 0, 'masternode2.env', 'RPC_PORT', 'PORT'],
    ['subnet', 4, 'subnet2nmc.env', 'NETHERMIND_JSONRPCCONFIG_PORT', 'NETHERMIND_NETWORKCONFIG_P2PPORT'],
    ['masternode', 4, 'masternode2nmc.env', 'NETHERMIND_JSONRPCCONFIG_PORT', 'NETHERMIND_NETWORKCONFIG_P2PPORT'],
  ] as const)('takes the ports of %s with %d of Nethermind from %s', (key, nethermind, file, rpc, p2p) => {
    const folder = generated({ key, nethermind });
    writeFileSync(join(folder, file), `${rpc}=9001\n${p2p}=30001\nLOG_LEVEL=4\n`);
    expect(targets(folder)[`${key}2`]).toMatchObject({
      rpc: `http://192.168.25.${key === 'subnet' ? 12 : 52}:9001`,
      p2p: expect.stringMatching(/:30001$/),
    });
  });

  it('reaches nodes on the network of the host there, and says no address of a bridge for them', () => {
    const folder = generated({ key: 'masternode', nethermind: 1, host: true });
    const { masternode1, masternode4 } = targets(folder);
    expect(masternode1).toMatchObject({ rpc: 'http://127.0.0.1:8545', p2p: undefined });
    expect(masternode4).toMatchObject({ rpc: 'http://127.0.0.1:8548', p2p: '192.168.25.54:20306' });
  });

  it('writes no address of a bridge for nodes of another machine', () => {
    for (const key of ['subnet', 'masternode'] as const) {
      const folder = generated({ key, nethermind: 1, machines: 2 });
      for (const host of [undefined, '203.0.113.4']) {
        const { [`${key}3`]: third, [`${key}4`]: fourth } = targets(folder, host);
        expect(third).toMatchObject({ rpc: 'http://machine2:8547', p2p: undefined, ipc: undefined, logFiles: [] });
        expect(fourth).toMatchObject({ rpc: 'http://machine2:8548', p2p: undefined, logFiles: [] });
        expect(imported(folder, host).notes.join('\n')).toContain(
          `On another machine: ${key}3 (machine2), ${key}4 (machine2); put that machine's address into their rpc`,
        );
      }
    }
  });

  it('says that the log level is too low only where the client needs another', () => {
    expect(imported(generated({ key: 'masternode', nethermind: 1 })).notes).toEqual([]);
    const mixed = generated({ key: 'subnet', nethermind: 1 });
    expect(imported(mixed).notes).toEqual([
      'LOG_LEVEL is below 3 in subnet1.env:7, subnet2.env:7, subnet3.env:7: the node logs no blocks, so where subnetd cannot read xdc.log the check of its log is degraded; set LOG_LEVEL=3 there and recreate the container.',
    ]);
    // The start script of this client has the default 3.
    const silent = generated({ key: 'masternode', nethermind: 0 });
    writeFileSync(join(silent, 'masternode1.env'), 'RPC_PORT=8545\n');
    expect(imported(silent).notes).toEqual([]);
  });

  it.each(KINDS)('with nodes $key, $nethermind of Nethermind, on $machines machines, shows no secret', (kind) => {
    const folder = generated(kind);
    const secrets = new RegExp(`${KEY}|canary|ca11a57e`);
    for (const host of [undefined, '203.0.113.4']) expect(JSON.stringify(imported(folder, host))).not.toMatch(secrets);
    // A key where a port belongs, and in .env, reaches no note either.
    for (let i = 1; i <= 4; i += 1)
      for (const file of [`${kind.key}${i}.env`, `${kind.key}${i}nmc.env`])
        writeFileSync(
          join(folder, file),
          ['RPCPORT', 'RPC_PORT', 'PORT', 'LOG_LEVEL', 'NETHERMIND_JSONRPCCONFIG_PORT', 'PRIVATE_KEY']
            .map((name) => `${name}=0x${KEY}\n`)
            .join(''),
        );
    writeFileSync(join(folder, '.env'), `NODE_KEY=canary\nDATA=${KEY}\nCOMPOSE_PROJECT_NAME=0x${KEY}\n`);
    writeFileSync(
      join(folder, 'compose.override.yml'),
      `services: { ${kind.key}1: { volumes: ['/srv/\${NODE_KEY}:/work/xdcchain', '/srv/\${DATA}:/app/logs'] } }`,
    );
    const result = imported(folder);
    expect(JSON.stringify(result)).not.toMatch(secrets);
    expect(result.notes.join('\n')).toContain('No usable value in .env for NODE_KEY, DATA');
    expect(result.notes.join('\n')).toContain('No port number in ');
    writeFileSync(join(folder, 'docker-compose.yml'), `services: { a: "${KEY}" ${KEY}: * }`);
    expect(errors(folder).join()).not.toMatch(secrets);
  });
});

describe('what stands beside the compose file', () => {
  const NODE = 'services: { subnet1: { ports: ["${RPC}:8545"], volumes: ["${DATA:-./xdcchain1}:/work/xdcchain"] } }\n';

  it('gives the project and the variables by .env', () => {
    const folder = deployment({
      'compose.yaml': `name: other\n${NODE}`,
      '.env': '# mine\nCOMPOSE_PROJECT_NAME=testnet\nRPC=18545\nDATA=/srv/data # moved\n',
    });
    expect(targets(folder).subnet1).toMatchObject({
      rpc: 'http://127.0.0.1:18545',
      container: { project: 'testnet', service: 'subnet1' },
      ipc: '/srv/data/XDC.ipc',
    });
    expect(imported(folder).notes).toEqual([]);
  });

  it('is said where a variable has no value', () => {
    const port = deployment({ 'compose.yaml': 'services: { subnet1: { environment: ["RPCPORT=${A}", "KEY=${B}"] } }' });
    expect(imported(port).notes[0]).toMatch(/^No usable value in \.env for A: /);
    const folder = deployment({ 'compose.yaml': NODE, '.env': 'RPC=${OTHER}\n' });
    expect(addresses(folder)).toEqual({ subnet1: 'http://127.0.0.1:8545' });
    expect(imported(folder).notes).toEqual([
      'No usable value in .env for RPC: what the compose file builds from it is left out; write it into .env, or complete the inventory by hand.',
      'The compose file does not publish the RPC port of subnet1; make sure that subnetd reaches the rpc written here.',
    ]);
  });

  it.each(['compose.override.yml', 'docker-compose.override.yml', 'docker-compose.override.yaml'])(
    'overrides it as %s',
    (name) => {
      const folder = deployment({
        'docker-compose.yml':
          "services: { subnet1: { ports: ['8545:8545'], environment: [RPCPORT=9001, LOG_LEVEL=2], env_file: subnet1.env }, subnet2: { ports: ['8546:8546'], volumes: [./a:/work/xdcchain] } }",
        'subnet1.env': 'LOG_LEVEL=3\n',
        [name]:
          "services: { subnet1: { ports: ['19001:9001'], environment: { LOG_LEVEL: 4 } }, subnet2: { ports: !override ['18546:8546'], volumes: !reset [] } }",
      });
      expect(addresses(folder)).toEqual({ subnet1: 'http://127.0.0.1:19001', subnet2: 'http://127.0.0.1:18546' });
      expect(targets(folder).subnet2).toHaveProperty('ipc', undefined);
      expect(imported(folder).notes).toEqual([]);
    },
  );

  it('is taken as COMPOSE_FILE of .env says', () => {
    const folder = deployment({
      'docker-compose.yml': 'services: { subnet1: { network_mode: host } }',
      'docker-compose.override.yml': 'services: { subnet3: { network_mode: host } }',
      'more.yml': 'services: { subnet2: { network_mode: host } }',
      '.env': 'COMPOSE_FILE=docker-compose.yml:more.yml\n',
    });
    expect(Object.keys(targets(folder))).toEqual(['subnet1', 'subnet2']);
  });

  it('is named where it is not followed', () => {
    const folder = deployment({
      'compose.yml': 'include: [b.yml]\nservices: { subnet1: { network_mode: host, extends: { service: base } } }',
    });
    expect(imported(folder).notes).toEqual([
      'Not followed in the compose file: include, extends of subnet1; compare the inventory with `docker compose config`.',
    ]);
  });
});

describe('a port that is published at one address', () => {
  const at = (address: string) =>
    deployment({
      'compose.yaml': `services:
  subnet1: { ports: ['${address}:18545:8545'] }
  stats: { ports: [{ target: 5213, published: 15213, host_ip: '${address.replace(/[[\]]/g, '')}' }] }
`,
    });

  it.each([
    ['192.0.2.5', 'http://192.0.2.5'],
    ['[2001:db8::4]', 'http://[2001:db8::4]'],
    ['[::1]', 'http://[::1]'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.2', 'http://127.0.0.2'],
    ['0.0.0.0', 'http://127.0.0.1'],
    ['[::]', 'http://127.0.0.1'],
  ])('%s is reached at %s', (address, origin) => {
    expect(addresses(at(address))).toEqual({ subnet1: `${origin}:18545`, stats: `${origin}:15213` });
    expect(imported(at(address)).notes).toEqual([]);
  });

  it('is said when --host is another one', () => {
    expect(addresses(at('127.0.0.1'), '203.0.113.4')).toMatchObject({ subnet1: 'http://203.0.113.4:18545' });
    expect(imported(at('127.0.0.1'), '203.0.113.4').notes).toContain(
      'Published only at one address of the machine, which differs from --host: subnet1 (127.0.0.1), stats (127.0.0.1); make sure that subnetd reaches it at the address written here.',
    );
    expect(imported(at('192.0.2.5'), '192.0.2.5').notes.join()).not.toContain('Published only at one');
  });
});

describe('the names of two subnets', () => {
  const named = (folder: string, prefix?: string | boolean) =>
    importDeployment(folder, { ...(prefix !== undefined && { prefix }) });

  it.each([
    [true, 'devnet-subnet1'],
    ['eu.', 'eu.subnet1'],
    [undefined, 'subnet1'],
  ])('differ by the prefix %j', (prefix, name) => {
    const result = named(generated({ key: 'subnet', nethermind: 0 }), prefix);
    if (!result.ok) throw new Error(result.errors.join());
    expect(subnet(result.yaml).targets[0]).toMatchObject({
      name,
      container: { project: 'generated', service: 'subnet1' },
    });
  });

  it.each([' a', 'a'.repeat(65), 'a\nb'])('cannot begin with %j', (prefix) => {
    expect(named(generated({ key: 'subnet', nethermind: 0 }), prefix)).toEqual({
      ok: false,
      errors: ['--prefix must be up to 64 printable characters that do not begin with a blank; shorten it.'],
    });
  });
});

describe('the Docker Engine', () => {
  const withEnvironment = (environment: Readonly<Record<string, string>>, machines = 1) => {
    const result = importDeployment(generated({ key: 'masternode', nethermind: 0, machines }), { environment });
    if (!result.ok) throw new Error(result.errors.join());
    const parsed = parseInventory(result.yaml, { HOME: '/home/op' });
    return { notes: result.notes, engines: parsed.ok ? parsed.inventory.engines : parsed.errors };
  };
  const home = (context: string, host: string): string => {
    const folder = temporaryFolder('home');
    const write = (path: string, value: unknown) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), JSON.stringify(value));
    };
    write('.docker/config.json', { auths: { 'registry.example.com': { auth: 'canary' } }, currentContext: context });
    const id = createHash('sha256').update(context).digest('hex');
    write(`.docker/contexts/meta/${id}/meta.json`, { Name: context, Endpoints: { docker: { Host: host } } });
    return folder;
  };

  it('is that of DOCKER_HOST, else of the context of the user', () => {
    const rootless = 'unix:///run/user/1000/docker.sock';
    expect(withEnvironment({ DOCKER_HOST: rootless })).toEqual({
      notes: ['docker.socketPath is that of DOCKER_HOST; the user that runs subnetd must be allowed to open it.'],
      engines: { default: { socketPath: '/run/user/1000/docker.sock' } },
    });
    const { notes, engines } = withEnvironment({ HOME: home('rootless', rootless) });
    expect(engines).toEqual({ default: { socketPath: '/run/user/1000/docker.sock' } });
    expect(notes).toEqual([
      'docker.socketPath is that of the Docker context "rootless"; the user that runs subnetd must be allowed to open it.',
    ]);
    expect(withEnvironment({ DOCKER_HOST: rootless }, 2).engines).toMatchObject({
      machine1: { socketPath: '/run/user/1000/docker.sock' },
    });
  });

  it('is not written where it is the usual one', () => {
    const usual = withEnvironment({});
    for (const socket of ['/var/run/docker.sock', '/run/docker.sock']) {
      expect(withEnvironment({ DOCKER_HOST: `unix://${socket}` })).toEqual(usual);
      expect(withEnvironment({ HOME: home('default', `unix://${socket}`) })).toEqual(usual);
    }
    expect(usual.notes).toEqual([]);
  });

  it('of another machine is left to the person', () => {
    const { notes, engines } = withEnvironment({ DOCKER_HOST: 'tcp://canary@10.0.0.2:2376' });
    expect(engines).toEqual(withEnvironment({}).engines);
    expect(notes).toEqual([
      'DOCKER_HOST does not reach Docker through a socket on this machine; write it into docker, as docs/docker-engines.md shows.',
    ]);
  });
});
