import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import {
  ALL,
  addresses,
  compose,
  DEPLOYMENTS,
  deployment,
  errors,
  FIXTURES,
  fixture,
  imported,
  subnet,
  targets,
} from './deployments.ts';

/** The services of a compose file. */
const readServices = (folder: string): Readonly<Record<string, unknown>> =>
  parse(readFileSync(join(folder, 'docker-compose.yml'), 'utf8')).services;

describe('a folder of the generator', () => {
  it('becomes an inventory that a person can read', () => {
    const folder = fixture('v2.0.0/wizard');
    expect(imported(folder).yaml.replaceAll(folder, '/srv/generated')).toBe(
      readFileSync(join(FIXTURES, 'v2.0.0/wizard/inventory.yaml'), 'utf8'),
    );
  });

  it.each(ALL)('of %s becomes an inventory that subnetd accepts', (name) => {
    const { yaml, notes } = imported(fixture(name));
    const kinds = subnet(yaml).targets.map(({ component }) => component);
    expect(kinds.filter((kind) => kind !== 'node')).toEqual(['bootnode', 'relayer', 'stats', 'frontend']);
    expect(kinds.filter((kind) => kind === 'node')).toHaveLength(name.endsWith('added-node') ? 4 : 3);
    expect(yaml).not.toContain('subswap');
    expect(notes.some((note) => note.startsWith('subswap_frontend is not watched'))).toBe(name.startsWith('v2'));
  });

  it.each([
    ['v2.0.0/wizard', [5215, 5213, 5214]],
    ['v2.0.0/command-line', [5215, 5213, 5214]],
    ['v1.0.1/linux', [5215, 5213, 5214]],
    ['v0.2.2/linux', [4000, 3000, 5000]],
    ['v0.2.2/mac', [4000, 3000, 5000]],
  ])('of %s has the ports of that version', (name, [relayer, stats, frontend]) => {
    expect(addresses(fixture(name))).toEqual({
      subnet1: 'http://127.0.0.1:8545',
      subnet2: 'http://127.0.0.1:8546',
      subnet3: 'http://127.0.0.1:8547',
      bootnode: undefined,
      relayer: `http://127.0.0.1:${relayer}`,
      stats: `http://127.0.0.1:${stats}`,
      frontend: `http://127.0.0.1:${frontend}`,
    });
  });

  it.each(DEPLOYMENTS)('of %s has its data below the folder, however the volumes are written', (name) => {
    const folder = fixture(name);
    const { subnet2, stats } = targets(folder);
    expect(subnet2).toMatchObject({
      ipc: join(folder, 'xdcchain2/XDC.ipc'),
      logFiles: [{ path: join(folder, 'xdcchain2/xdc.log') }],
    });
    expect(stats?.logFiles).toMatchObject([{ path: join(folder, 'stats-service/logs/debug/*.log') }]);
  });

  it('of the host network says nothing of addresses that nodes do not have', () => {
    expect(targets(fixture('v0.2.2/linux')).subnet1).toHaveProperty('p2p', undefined);
    expect(targets(fixture('v0.2.2/mac')).subnet3).toMatchObject({ p2p: '192.168.25.13:20305' });
  });

  it('takes the network name of the genesis input, else the compose project', () => {
    expect(subnet(imported(fixture('v0.2.2/mac')).yaml).name).toBe('localnet');
    expect(subnet(imported(compose('services: { subnet1: { image: xdc } }')).yaml).name).toBe('generated');
  });

  it('gives the same inventory for any order of its services', () => {
    const services = ['subnet10', 'subnet2', 'subnet1', 'stats', 'bootnode'].map((key) => `  ${key}: { image: xdc }\n`);
    const folder = compose(`services:\n${services.join('')}`);
    const { yaml } = imported(folder);
    expect(Object.keys(targets(folder))).toEqual(['subnet1', 'subnet2', 'subnet10', 'bootnode', 'stats']);
    writeFileSync(join(folder, 'docker-compose.yml'), `services:\n${services.toReversed().join('')}`);
    expect(imported(folder).yaml).toBe(yaml);
  });

  it('is found under the name docker-compose.yaml too', () => {
    const folder = deployment({ 'docker-compose.yaml': 'services: { subnet1: { image: xdc } }' });
    expect(Object.keys(targets(folder))).toEqual(['subnet1']);
  });
});

describe('a node', () => {
  it('that the add-node script added keeps its service name and comes last', () => {
    const nodes = targets(fixture('v2.0.0/added-node'));
    expect(Object.keys(nodes).slice(0, 4)).toEqual(['subnet1', 'subnet2', 'subnet3', 'subnet4']);
    expect(nodes.subnet4).toMatchObject({
      rpc: 'http://127.0.0.1:8548',
      container: { project: 'generated', service: 'subnet4' },
      p2p: '192.168.25.18:20306',
      expectedPeers: 3,
    });
    expect(nodes).not.toHaveProperty('subnet9');
  });

  it('of a second machine has its own Docker Engine, marked with what is to be filled in', () => {
    const folder = fixture('v2.0.0/machines');
    const { yaml, notes } = imported(folder);
    const { subnet1, subnet2, subnet3 } = targets(folder);
    const container = (service: string, machine = 1) => ({
      engine: `machine${machine}`,
      project: 'generated',
      service,
    });
    expect(subnet1).toMatchObject({ container: container('subnet1') });
    expect(subnet2).toMatchObject({ container: container('subnet2', 2) });
    expect(subnet3).toMatchObject({ container: container('subnet3', 2) });
    for (const service of ['bootnode', 'relayer', 'stats', 'frontend'])
      expect(targets(folder)[service]).toMatchObject({ container: container(service) });
    const parsed = parseInventory(yaml, { HOME: '/home/op' });
    expect(parsed.ok && parsed.inventory.engines).toEqual({
      machine1: { socketPath: '/var/run/docker.sock' },
      machine2: {
        ssh: {
          ...{ user: 'subnetd', host: 'machine2', port: 22, identityFile: '/etc/subnetd/id_ed25519' },
          knownHosts: ['/home/op/.ssh/known_hosts', '/etc/ssh/ssh_known_hosts'],
        },
      },
    });
    expect(yaml).toContain('    # Put the address of machine2 and the key for it here.\n    machine2: { ssh: ');
    expect(notes).toContain(
      'Docker Engines of other machines: machine2; put their addresses and keys into docker.engines, as docs/docker-engines.md shows, and correct project where the folder there has another name; until then the checks of their containers are unknown.',
    );
    expect(subnet2).toMatchObject({ rpc: 'http://machine2:8546', p2p: undefined, logFiles: [] });
    expect(subnet3).toMatchObject({ rpc: 'http://machine2:8547', logFiles: [] });
    expect(yaml.match(/192\.168\.25/g)).toHaveLength(1);
    for (const node of [subnet2, subnet3]) expect(node).toHaveProperty('ipc', undefined);
    expect(yaml).toContain(
      "# subnet2 runs on machine2: put that machine's address into rpc, and add p2p: ADDRESS:20304.\n      - name: subnet2",
    );
    expect(yaml).toContain('add p2p: ADDRESS:20305.\n      - name: subnet3');
    expect(notes.join('\n')).toContain('On another machine: subnet2 (machine2), subnet3 (machine2); put');
  });

  it('of a second machine has no container where no engine can be asked, or on one machine no engine', () => {
    for (const [name, host] of [['v2.0.0/machines', '10.0.0.1'], ['v2.0.0/wizard']] as const) {
      const { yaml, notes } = imported(fixture(name), host);
      for (const text of [yaml, notes.join()]) expect(text).not.toMatch(/engine|^docker/im);
    }
    const nameless = deployment({
      'docker-compose.yml':
        'name: ---\nservices: { subnet1: { profiles: [machine1] }, subnet2: { profiles: [machine2] } }\n',
    });
    expect(imported(nameless).yaml).not.toMatch(/engine|container/);
  });

  it('listens where its env file says, and is reached where Docker publishes that', () => {
    const folder = deployment({
      'docker-compose.yml': `services:
  subnet1:
    env_file: [subnet1.env]
    ports: ['20303:20303', '18545:9000', '9555:9555']
    networks: { docker_net: { ipv4_address: 192.168.25.11 } }
`,
      'subnet1.env': '# moved\nexport RPCPORT="9000" # quoted\r\nPORT=30303 # free\nPORT=30304\n',
    });
    expect(targets(folder).subnet1).toMatchObject({ rpc: 'http://127.0.0.1:18545', p2p: '192.168.25.11:30304' });
  });

  it('follows its own environment before its env file', () => {
    const folder = deployment({
      'docker-compose.yml': `services:
  subnet1: { network_mode: host, env_file: [subnet1.env], environment: { RPCPORT: 9100 } }
  subnet2: { network_mode: host, env_file: [subnet2.env], environment: [RPCPORT=9200, OTHER] }
`,
      'subnet1.env': 'RPCPORT=9001\n',
      'subnet2.env': 'RPCPORT=9002\n',
    });
    expect(addresses(folder)).toEqual({ subnet1: 'http://127.0.0.1:9100', subnet2: 'http://127.0.0.1:9200' });
  });

  it('of an old generator has its env file where docker-compose.env says, if that is still there', () => {
    const folder = fixture('v1.0.1/linux');
    const config = deployment({ 'subnet1.env': 'RPCPORT=9001\nLOG_LEVEL=3\n' }, 'config');
    expect(addresses(folder)).toMatchObject({ subnet1: 'http://127.0.0.1:8545' });
    writeFileSync(join(folder, 'docker-compose.env'), `SUBNET_CONFIG_PATH=${config}/`);
    expect(addresses(folder)).toMatchObject({ subnet1: 'http://127.0.0.1:9001', subnet2: 'http://127.0.0.1:8546' });
  });

  it('that publishes no RPC port is taken at its address on the compose network, with a note', () => {
    const folder = compose(
      'services: { subnet2: { image: xdc, networks: { docker_net: { ipv4_address: 192.168.25.12 } } } }',
    );
    expect(addresses(folder)).toEqual({ subnet2: 'http://192.168.25.12:8546' });
    expect(imported(folder).notes).toEqual([
      'The compose file does not publish the RPC port of subnet2; make sure that subnetd reaches the rpc written here.',
    ]);
  });

  it('that runs Nethermind has its log where that writes it, and no socket', () => {
    const folder = compose(`services:
  subnet1:
    image: nethermind/nethermind:latest
    env_file: [subnet1nmc.env]
    volumes: ['\${HOSTPWD}/xdcchain1:/work/xdcchain']
    ports: ['20303:20303/tcp', '8545:8545/tcp', '9555:9555/tcp']
`);
    writeFileSync(join(folder, 'subnet1nmc.env'), 'RPCPORT=1\n');
    expect(targets(folder).subnet1).toMatchObject({
      rpc: 'http://127.0.0.1:8545',
      logFiles: [{ path: join(folder, 'xdcchain1/logs/xdc.log') }],
    });
    expect(targets(folder).subnet1).toHaveProperty('ipc', undefined);
    expect(imported(folder).notes).toEqual([]);
  });

  it('whose socket path is too long for a socket is read without it', () => {
    const folder = deployment(
      { 'docker-compose.yml': 'services: { subnet1: { network_mode: host, volumes: [./xdcchain1:/work/xdcchain] } }' },
      'a'.repeat(110),
    );
    expect(targets(folder).subnet1).toHaveProperty('ipc', undefined);
    expect(targets(folder).subnet1?.logFiles).toHaveLength(1);
    expect(imported(folder).notes).toEqual([expect.stringContaining('too long for a socket')]);
  });
});

describe('the host', () => {
  it.each([
    ['203.0.113.4', 'http://203.0.113.4:8545'],
    ['node.example.org', 'http://node.example.org:8545'],
    ['2001:db8::4', 'http://[2001:db8::4]:8545'],
    ['[2001:db8::4]', 'http://[2001:db8::4]:8545'],
  ])('%s is used as given, and leaves out what another machine cannot reach', (host, rpc) => {
    const { yaml, notes } = imported(fixture('v2.0.0/wizard'), host);
    expect(addresses(fixture('v2.0.0/wizard'), host)).toMatchObject({ subnet1: rpc });
    expect(yaml).not.toMatch(/ipc:|logFiles:|container:|bootnode:/);
    expect(notes[0]).toContain('Written for a monitor on a machine other than');
    expect(notes.join('\n')).not.toContain('LOG_LEVEL');
  });

  it.each(['localhost', '127.0.0.2', '::1', '0:0:0:0:0:0:0:1'])(
    '%s is this machine, so nothing is left out',
    (host) => {
      const folder = fixture('v2.0.0/wizard');
      expect(targets(folder, host).subnet1).toMatchObject({
        container: { project: 'generated', service: 'subnet1' },
        ipc: join(folder, 'xdcchain1/XDC.ipc'),
      });
    },
  );

  it.each(['', 'http://node', 'node:8545', 'a b', 'user@node', '1.2.3.999', '-node'])('%j is refused', (host) => {
    expect(errors(fixture('v2.0.0/wizard'), host)).toEqual([
      '--host must be a host name or an IP address, without scheme and port; correct it.',
    ]);
  });
});

describe('the parent chain', () => {
  const withEnv = (lines: readonly string[], service = 'relayer') =>
    deployment({
      'docker-compose.yml': `services:
  subnet1: { network_mode: host }
  ${service}: { env_file: common.env, network_mode: host, environment: [RELAYER_PORT=5215, STATS_PORT=5213] }
`,
      'common.env': ['CHECKPOINT_CONTRACT=0x5Fbd00000000000000000000000000000000aa01', ...lines, ''].join('\n'),
    });
  const chainOf = (folder: string, environment = {}) => {
    const parsed = parseInventory(imported(folder).yaml, environment);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
    return parsed.inventory.subnets[0]?.parentChain;
  };

  const DEPLOYED = ['v2.0.0/wizard', 'v2.0.0/added-node'];

  it.each(DEPLOYED)('of %s is that of common.env', (name) => {
    expect(chainOf(fixture(name))).toEqual({
      rpc: 'https://erpc.apothem.network/',
      contract: '0x5Fbd00000000000000000000000000000000aa01',
      wallet: '0x5Fbd00000000000000000000000000000000bb01',
      reverseContract: '0x5Fbd00000000000000000000000000000000aa02',
    });
  });

  it.each(ALL.filter((name) => !DEPLOYED.includes(name)))('of %s is left out, as there is no contract yet', (name) => {
    const folder = fixture(name);
    expect(chainOf(folder)).toBeUndefined();
    expect(imported(folder).notes).toContainEqual(
      expect.stringMatching(
        /^No checkpoint contract is known, so parentChain is left out, although PARENTNET_URL is set in common\.env:\d+; import again once the contract is deployed\.$/,
      ),
    );
  });

  it('has the contracts of XDC-Zero, of which one that is not deployed yet is left out', () => {
    const address = (digit: string) => `0x${digit.repeat(40)}`;
    const folder = withEnv([
      'PARENTNET_URL=https://rpc.xdc.org',
      `PARENTNET_ZERO_CONTRACT=${address('1')}`,
      `SUBNET_ZERO_CONTRACT=${address('2')}`,
      `REVERSE_CHECKPOINT_CONTRACT=${address('0')}`,
      `SUBNET_ZERO_WALLET_PK=${'5e'.repeat(32)}`,
    ]);
    expect(chainOf(folder)).toEqual({
      rpc: 'https://rpc.xdc.org',
      contract: '0x5Fbd00000000000000000000000000000000aa01',
      zeroContract: address('1'),
      subnetZeroContract: address('2'),
    });
    expect(imported(folder).yaml).not.toContain('5e5e');
  });

  it('is found by the env file of the stats server too, and without a URL there is none', () => {
    expect(chainOf(withEnv(['PARENTNET_URL=https://rpc.xdc.org'], 'stats'))).toMatchObject({
      rpc: 'https://rpc.xdc.org',
    });
    expect(chainOf(withEnv([]))).toBeUndefined();
    expect(chainOf(withEnv(['PARENTNET_URL=']))).toBeUndefined();
    expect(imported(withEnv([])).notes).toEqual([]);
  });

  it.each([
    'https://rpc.xdc.org',
    'https://devnetstats.apothem.network/devnet',
    'http://10.0.0.4:8545/',
    'https://xdc.example.com/rpc/v1',
  ])('at %s is written as it is', (rpc) => {
    expect(chainOf(withEnv([`PARENTNET_URL=${rpc}`]))).toMatchObject({ rpc });
  });

  it.each([
    'https://user:canary@rpc.example.com/',
    'https://canary@rpc.example.com/',
    'https://rpc.example.com/?key=canary',
    'https://rpc.example.com/canary/rpc',
    'https://rpc.example.com/v1/canary5f4dcc3b5aa765d61d8327',
    'https://canary5f4dcc3b5aa765d61d8327.example.com/',
  ])('at %s may hold a token, so the environment of subnetd gives it', (rpc) => {
    const folder = withEnv([`PARENTNET_URL=${rpc}`]);
    const { yaml, notes } = imported(folder);
    expect(yaml).toContain(
      '    parentChain:\n      # The value of PARENTNET_URL in common.env:2.\n      rpc: ${PARENTNET_URL}\n      contract: "0x5Fbd',
    );
    expect(notes).toEqual([
      'PARENTNET_URL in common.env:2 may hold a token, so it is not written here; set PARENTNET_URL in the environment of subnetd to the same value.',
    ]);
    expect(yaml + notes.join()).not.toContain('canary');
    expect(chainOf(folder, { PARENTNET_URL: rpc })).toMatchObject({ rpc });
  });

  it('that is none is left out, and so is what is not an address, each without showing it', () => {
    // The inventory refuses a fragment.
    for (const rpc of ['canary', 'https://rpc.example.com/#canary']) {
      const none = withEnv([`PARENTNET_URL=${rpc}`]);
      expect(chainOf(none)).toBeUndefined();
      expect(imported(none).notes).toEqual([
        'Not an address: PARENTNET_URL, common.env:2; it is left out, so correct it there.',
      ]);
    }
    const wrong = deployment({
      'docker-compose.yml':
        'services: { subnet1: { network_mode: host }, relayer: { env_file: common.env, ports: [5215:5215] } }',
      'common.env': `PARENTNET_URL=https://rpc.xdc.org\nCHECKPOINT_CONTRACT=0xcanary\nPARENTNET_WALLET=${'ca11a57e'.repeat(8)}\n`,
    });
    expect(chainOf(wrong)).toBeUndefined();
    const { yaml, notes } = imported(wrong);
    expect(notes).toContain(
      'Not an address: CHECKPOINT_CONTRACT, common.env:2, PARENTNET_WALLET, common.env:3; it is left out, so correct it there.',
    );
    expect(yaml + notes.join()).not.toMatch(/canary|ca11a57e/);
  });
});

describe('inside the compose network', () => {
  it('services are reached by their names at the ports of their containers, and files of the host are left out', () => {
    const folder = fixture('v2.0.0/wizard');
    const { yaml, notes } = imported(folder, undefined, true);
    expect(addresses(folder, undefined, true)).toEqual({
      subnet1: 'http://subnet1:8545',
      subnet2: 'http://subnet2:8546',
      subnet3: 'http://subnet3:8547',
      bootnode: undefined,
      relayer: 'http://relayer:5215',
      stats: 'http://stats:5213',
      frontend: 'http://frontend:5214',
    });
    expect(yaml).not.toMatch(/ipc:|logFiles:|127\.0\.0\.1/);
    expect(targets(folder, undefined, true).subnet2).toMatchObject({
      ...{ container: { project: 'generated', service: 'subnet2' }, p2p: '192.168.25.12:20304' },
    });
    expect(notes).toEqual([
      'Written for a monitor in a container on the network of the deployment: without ipc and logFiles, so logs come through Docker; docs/compose.md shows how it joins that network.',
      expect.stringContaining('set LOG_LEVEL=3 there'),
      expect.stringContaining('RPC_API is without admin'),
      expect.stringContaining('subswap_frontend'),
    ]);
  });

  it('the port of the container counts, published elsewhere or not at all', () => {
    const folder = compose(`services:
  subnet1: { ports: ['18545:9000'], environment: { RPCPORT: 9000 } }
  subnet2: { image: xdc }
  stats: { ports: ['80:5213'] }
`);
    expect(addresses(folder, undefined, true)).toEqual({
      subnet1: 'http://subnet1:9000',
      subnet2: 'http://subnet2:8546',
      stats: 'http://stats:5213',
    });
    expect(imported(folder, undefined, true).notes).toHaveLength(1);
  });

  it('a service on the network of the host is reached there, with a note', () => {
    const folder = compose('services: { subnet1: { network_mode: host }, subnet2: { image: xdc } }');
    expect(addresses(folder, undefined, true)).toEqual({
      subnet1: 'http://host.docker.internal:8545',
      subnet2: 'http://subnet2:8546',
    });
    expect(imported(folder, undefined, true).notes).toContain(
      'On the network of the host: subnet1; give the container of subnetd the line extra_hosts: ["host.docker.internal:host-gateway"].',
    );
  });

  it('is not another machine', () => {
    expect(errors(fixture('v2.0.0/wizard'), '10.0.0.1', true)).toEqual([
      'Give --host or --compose, not both: --compose is for subnetd on the network of the deployment.',
    ]);
  });
});

describe('a range of ports', () => {
  it.each([
    ["'8545-8548:8545-8548'", 8546],
    ["'9000-9003:8545-8548'", 9001],
    ["'127.0.0.1:9000-9003:8545-8548/tcp'", 9001],
    ["'8545-8546:8545-8546/tcp', '9000:1'", 8546],
  ])('%s is each of its ports', (ports, port) => {
    const folder = compose(`services: { subnet2: { ports: [${ports}], environment: { RPCPORT: 8546 } } }`);
    expect([addresses(folder), imported(folder).notes]).toEqual([{ subnet2: `http://127.0.0.1:${port}` }, []]);
  });

  it.each([
    "'8545-8548'",
    "'9000-9010:8546'",
    "'9000-9001:8545-8548'",
    "'8548-8545:8548-8545'",
    "'8545-8548:8545-8548/udp'",
    '{ target: 8546, published: "9000-9010" }',
  ])('%s names no port of the host', (ports) => {
    const folder = compose(`services: { subnet2: { ports: [${ports}], environment: { RPCPORT: 8546 } } }`);
    expect(imported(folder).notes).toEqual([expect.stringContaining('does not publish the RPC port of subnet2')]);
  });
});

describe('the notes', () => {
  it('name the lines of the env files to change', () => {
    expect(imported(fixture('v2.0.0/wizard')).notes).toEqual([
      'LOG_LEVEL is below 3 in subnet1.env:13, subnet2.env:13, subnet3.env:13: the node logs no blocks, so where subnetd cannot read xdc.log the check of its log is degraded; set LOG_LEVEL=3 there and recreate the container.',
      'RPC_API is without admin in subnet1.env:7, subnet2.env:7, subnet3.env:7: where subnetd cannot use the IPC socket, peers are counted by net_peerCount (degraded); add ,admin to that line only if nobody else can reach the RPC port.',
      'subswap_frontend is not watched: subnetd watches one frontend of a subnet; watch that page with another tool, such as blackbox_exporter.',
    ]);
  });

  it('are silent when there is nothing to say', () => {
    const folder = fixture('v2.0.0/wizard');
    for (const n of [1, 2, 3])
      writeFileSync(join(folder, `subnet${n}.env`), `RPCPORT=${8544 + n}\nLOG_LEVEL=3\nRPC_API=eth, admin,XDPoS\n`);
    const { subswap_frontend: _, ...services } = readServices(folder);
    writeFileSync(join(folder, 'docker-compose.yml'), stringify({ services }));
    expect(imported(folder).notes).toEqual([]);
  });

  it.each([
    ['v2.0.0/machines', 'CHECKPOINT_CONTRACT is not set in common.env: '],
    ['v0.2.2/linux', 'CHECKPOINT_CONTRACT is not set in common.env:23: '],
  ])('of %s say that the checkpoint contract is not deployed', (name, start) => {
    expect(imported(fixture(name)).notes).toContainEqual(expect.stringMatching(`^${start}`));
  });

  it('say which env files were not read, and the ports come from the compose file', () => {
    const folder = deployment({
      'docker-compose.yml': `services:
  subnet1: { env_file: subnet1.env, ports: ['30001:30001', '30002:30002', '30003:30003'] }
  subnet2: { env_file: [{ path: subnet2.env, required: false }], network_mode: host }
  subnet3: { env_file: [keys.json, ../elsewhere/subnet3.env, '\${UNKNOWN}/subnet3.env'], network_mode: host }
`,
    });
    mkdirSync(join(folder, 'subnet1.env'));
    writeFileSync(join(folder, 'keys.json'), 'RPCPORT=1\n');
    expect(addresses(folder)).toEqual({
      subnet1: 'http://127.0.0.1:30002',
      subnet2: 'http://127.0.0.1:8546',
      subnet3: 'http://127.0.0.1:8547',
    });
    expect(imported(folder).notes).toEqual([
      'No usable value in .env for UNKNOWN: what the compose file builds from it is left out; write it into .env, or complete the inventory by hand.',
      `Not read: subnet1.env (not a file), subnet2.env (not found), keys.json (not an env file of the generator), ${join(dirname(folder), 'elsewhere/subnet3.env')} (not found); ports come from the compose file and the generator's numbering instead, so compare them.`,
    ]);
  });

  it('name a port that is none without showing it', () => {
    const folder = deployment({
      'docker-compose.yml': 'services: { subnet1: { network_mode: host, env_file: subnet1.env } }',
      'subnet1.env': 'RPCPORT=99999canary\nLOG_LEVEL=3\n',
    });
    expect(addresses(folder)).toEqual({ subnet1: 'http://127.0.0.1:8545' });
    expect(imported(folder).notes).toEqual([
      'No port number in RPCPORT, subnet1.env:1; the usual one is used, so correct it there.',
    ]);
  });

  it('say that a service publishes no port', () => {
    const folder = compose('services: { subnet1: { network_mode: host }, frontend: { image: x, ports: [5214] } }');
    expect(targets(folder).frontend).toHaveProperty('url', undefined);
    expect(imported(folder).notes).toEqual([expect.stringContaining('publishes no port of frontend')]);
  });
});
