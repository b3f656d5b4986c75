import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toContainerSetup } from '../../../src/watch/docker/container-setup.ts';
import { compareFolder } from '../../../src/watch/import/compare-folder.ts';
import { fixture } from './deployments.ts';

const CONTRACT = '0x5Fbd00000000000000000000000000000000aa01';

/** How Docker tells of a container that Compose made in a folder. */
interface Made {
  readonly env: readonly string[];
  readonly image: string;
  readonly ports: readonly number[];
}

const toSetup = (
  service: string,
  folder: string,
  { env, image, ports }: Made,
  files = `${folder}/docker-compose.yml`,
) =>
  toContainerSetup(
    { id: service, name: `generated-${service}-1` },
    {
      Config: {
        Image: image,
        Env: env,
        Labels: {
          'com.docker.compose.project.working_dir': folder,
          'com.docker.compose.project.config_files': files,
        },
      },
      NetworkSettings: {
        Ports: Object.fromEntries(
          ports.flatMap((port) => [
            [`${port}/tcp`, ['0.0.0.0', '::'].map((HostIp) => ({ HostIp, HostPort: `${port}` }))],
            [`${port}/udp`, [{ HostIp: '0.0.0.0', HostPort: `${port}` }]],
          ]),
        ),
      },
    },
    true,
  );

const nodeOf = (number: number, over: Partial<Made> = {}): Made => ({
  env: [
    ...['NETWORK_ID=46189', 'LOG_LEVEL=2', 'PRIVATE_KEY=canary-of-the-container', 'PATH=/bin'],
    'RPC_API=db,eth,debug,miner,net,shh,txpool,personal,web3,XDPoS',
    ...[`PORT=${20302 + number}`, `RPCPORT=${8544 + number}`, `WSPORT=${9554 + number}`],
  ],
  image: 'xinfinorg/xdcsubnets:v0.3.2',
  ports: [20302 + number, 8544 + number, 9554 + number],
  ...over,
});

const serviceOf = (image: string, port: number): Made => ({
  env: [`CHECKPOINT_CONTRACT=${CONTRACT}`, 'STATS_SECRET=canary-of-the-container'],
  image: `xinfinorg/${image}`,
  ports: [port],
});

/** The containers of the deployment that the wizard wrote. */
const WIZARD: Readonly<Record<string, Made>> = {
  subnet1: nodeOf(1),
  subnet2: nodeOf(2),
  subnet3: nodeOf(3),
  bootnode: serviceOf('xdcsubnets:v0.3.1', 20301),
  relayer: serviceOf('xdc-relayer:v0.3.1', 5215),
  stats: serviceOf('subnet-stats-service:v0.1.11', 5213),
  frontend: serviceOf('subnet-frontend:v0.1.12', 5214),
};

/** What differs, with the folder called DIR. */
async function compare(folder: string, containers: Readonly<Record<string, Made>> = WIZARD, known: string[] = []) {
  const made = new Map(Object.entries(containers).map(([service, one]) => [service, toSetup(service, folder, one)]));
  const isKnown = (service: string) => service in WIZARD || known.includes(service);
  return JSON.parse(JSON.stringify(await compareFolder('generated', folder, made, isKnown)).replaceAll(folder, 'DIR'));
}

/** Writes something else into a file of a deployment. */
function edit(folder: string, file: string, ...changes: readonly (readonly [was: string, is: string])[]): void {
  const path = join(folder, file);
  const text = changes.reduce(
    (before, [was, is]) => {
      expect(before, file).toContain(was);
      return before.replace(was, is);
    },
    readFileSync(path, 'utf8'),
  );
  writeFileSync(path, text);
}

const SAME = { ok: true };

describe('a folder', () => {
  test('from which the containers were made as it is differs in nothing', async () => {
    const folder = fixture('v2.0.0/wizard');
    expect(await compare(folder)).toEqual(SAME);
    // The contract is deployed after the start of the bootnode, which does not read its address.
    const bootnode = { ...(WIZARD.bootnode as Made), env: [] };
    expect(await compare(folder, { ...WIZARD, bootnode })).toEqual(SAME);
    // Podman names images in full.
    const podman = { ...WIZARD, subnet1: nodeOf(1, { image: 'docker.io/xinfinorg/xdcsubnets:v0.3.2' }) };
    expect(await compare(folder, podman)).toEqual(SAME);
  });

  test('with another contract says who was created with which, and how to recreate them', async () => {
    const folder = fixture('v2.0.0/wizard');
    const other = CONTRACT.replace('aa01', 'cc01');
    edit(folder, 'common.env', [CONTRACT, other]);
    expect(await compare(folder)).toEqual({
      ok: true,
      value: {
        evidence: `common.env:24 sets CHECKPOINT_CONTRACT to ${other}, and relayer and stats were created with ${CONTRACT}`,
        fix: 'if the files are right, run `cd DIR && HOSTPWD=$PWD docker compose -p generated up -d relayer`, then the same for stats, one after another; else correct them',
      },
    });
    edit(folder, 'common.env', [`=${other}`, '=']);
    expect((await compare(folder, { relayer: WIZARD.relayer as Made })).value.evidence).toBe(
      `common.env:24 sets CHECKPOINT_CONTRACT to nothing, and relayer was created with ${CONTRACT}`,
    );
    const before = { relayer: { ...(WIZARD.relayer as Made), env: [] } };
    edit(folder, 'common.env', ['CHECKPOINT_CONTRACT=\n', `CHECKPOINT_CONTRACT=${other}\n`]);
    expect((await compare(folder, before)).value.evidence).toBe(
      `common.env:24 sets CHECKPOINT_CONTRACT to ${other}, and relayer was created with none`,
    );
  });

  test('with another network id, port and image names each', async () => {
    const folder = fixture('v2.0.0/wizard');
    edit(folder, 'subnet2.env', ['NETWORK_ID=46189', 'NETWORK_ID=51']);
    edit(folder, 'docker-compose.yml', ['xdcsubnets:v0.3.2', 'xdcsubnets:v0.4.0'], ['8545:8545/tcp', '18545:8545/tcp']);
    expect((await compare(folder)).value.evidence.split('; ')).toEqual([
      'docker-compose.yml names the image xinfinorg/xdcsubnets:v0.4.0, and subnet1 was created with xinfinorg/xdcsubnets:v0.3.2',
      'docker-compose.yml publishes 18545:8545, 20303:20303 and 9555:9555, and subnet1 was created with 20303:20303, 8545:8545 and 9555:9555',
      'subnet2.env:5 sets NETWORK_ID to 51, and subnet2 was created with 46189',
    ]);
  });

  test('with many differences counts those after the eighth', async () => {
    const folder = fixture('v2.0.0/wizard');
    const ofNone = Object.fromEntries([1, 2, 3].map((one) => [`subnet${one}`, nodeOf(one, { env: [] })]));
    const { evidence } = (await compare(folder, ofNone)).value;
    expect(evidence.split('; ')).toHaveLength(9);
    expect(evidence).toMatch(/; and \d+ more$/);
  });

  test('with a node that neither Docker nor the inventory has names it, but none of another machine', async () => {
    const folder = fixture('v2.0.0/added-node');
    const three = { subnet1: nodeOf(1), subnet2: nodeOf(2), subnet3: nodeOf(3) };
    expect(await compare(folder, three)).toEqual({
      ok: true,
      value: {
        evidence: 'docker-compose.yml has subnet4, and neither Docker nor the inventory does',
        fix: 'add subnet4 to the inventory as `subnetd import DIR` prints it, or correct docker-compose.yml',
      },
    });
    expect(await compare(folder, three, ['subnet4'])).toEqual(SAME);
    expect(await compare(fixture('v2.0.0/machines'), { subnet1: nodeOf(1) })).toEqual(SAME);
  });

  test('that cannot be read, or only in part, says why', async () => {
    const missing = fixture('v2.0.0/wizard');
    rmSync(join(missing, 'docker-compose.yml'));
    expect(await compare(missing)).toEqual({
      ok: false,
      why: 'DIR has no compose.yaml, compose.yml, docker-compose.yml or docker-compose.yaml',
    });
    const including = fixture('v2.0.0/wizard');
    appendFileSync(join(including, 'docker-compose.yml'), '\ninclude: [other.yml]\n');
    expect(await compare(including)).toEqual({
      ok: false,
      why: 'subnetd does not follow include in docker-compose.yml',
    });
  });
});

describe('what a folder says of a container', () => {
  test('is not compared in secrets, and what may be a key is not shown', async () => {
    const folder = fixture('v2.0.0/wizard');
    const key = 'ab'.repeat(32);
    edit(folder, 'subnet1.env', ['PRIVATE_KEY=', 'PRIVATE_KEY=another-'], ['NETWORK_ID=46189', `NETWORK_ID=${key}`]);
    edit(folder, 'common.env', ['STATS_SECRET=', 'STATS_SECRET=another-'], [CONTRACT, `0x${key}`]);
    edit(folder, 'common.env', ['https://erpc.apothem.network/', 'https://erpc.apothem.network/canary-token']);
    expect(await compare(folder)).toEqual(SAME);
    const misplaced = { subnet2: nodeOf(2, { env: [`NETWORK_ID=${key}`, ...nodeOf(2).env.slice(1)] }) };
    expect(await compare(folder, misplaced)).toEqual(SAME);
    const { origin } = toSetup('subnet2', folder, misplaced.subnet2 as Made);
    expect([...(origin?.settings.values() ?? [])].join()).not.toMatch(/canary|abab/);
  });

  test('is not known where a file is not read or a variable of a shell decides', async () => {
    const folder = fixture('v2.0.0/wizard');
    edit(folder, 'subnet1.env', ['NETWORK_ID=46189', 'NETWORK_ID=51']);
    expect((await compare(folder)).value.evidence).toContain('NETWORK_ID to 51');
    edit(folder, 'docker-compose.yml', ['- subnet1.env', '- subnet1.env\n      - own.env']);
    expect(await compare(folder)).toEqual(SAME);
    edit(
      folder,
      'docker-compose.yml',
      ['xdcsubnets:v0.3.2', 'xdcsubnets:$VERSION'],
      ['8546:8546/tcp', '$RPC:8546/tcp'],
    );
    expect(await compare(folder)).toEqual(SAME);
  });

  test('is not compared in ports of the network of the host, nor in those that Docker picks', async () => {
    const folder = fixture('v2.0.0/wizard');
    const without = { subnet1: nodeOf(1, { ports: [] }) };
    expect((await compare(folder, without)).value.evidence).toBe(
      'docker-compose.yml publishes 20303:20303, 8545:8545 and 9555:9555, and subnet1 was created with none',
    );
    edit(folder, 'docker-compose.yml', ['8545:8545/tcp', '8545/tcp']);
    expect(await compare(folder, without)).toEqual(SAME);
    edit(folder, 'docker-compose.yml', ['8545/tcp', '8545:8545/tcp'], ['restart: always', 'network_mode: host']);
    expect(await compare(folder, without)).toEqual(SAME);
  });
});

test('a container belongs to a folder whose files Compose finds by itself, on this machine', () => {
  const originOf = (files: string) => toSetup('subnet1', '/srv/generated', nodeOf(1), files).origin?.folder;
  expect(originOf('/srv/generated/docker-compose.yml')).toBe('/srv/generated');
  expect(originOf('docker-compose.yml')).toBe('/srv/generated');
  expect(originOf('/srv/generated/compose.yaml,/srv/generated/compose.override.yaml')).toBe('/srv/generated');
  expect(originOf('/srv/generated/docker-compose.yml,/srv/generated/extra.yml')).toBeUndefined();
  expect(originOf('/srv/other/docker-compose.yml')).toBeUndefined();
  expect(originOf('/dev/fd/63')).toBeUndefined();
  const elsewhere = toContainerSetup(
    { id: 'a', name: 'a' },
    {
      Config: {
        Labels: {
          'com.docker.compose.project.working_dir': '/srv/generated',
          'com.docker.compose.project.config_files': '/srv/generated/docker-compose.yml',
        },
      },
    },
    false,
  );
  expect(elsewhere.origin).toBeUndefined();
});
