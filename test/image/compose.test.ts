import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createDocker } from '../../src/watch/docker/engine.ts';
import { composeLabels, importBusybox, runContainer, uniqueName } from '../support/containers.ts';
import { type Engine, findProgram, useEngine } from '../support/engine.ts';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly mem_limit: string;
  readonly restart: string;
  readonly init?: boolean;
  readonly logging: { readonly options: Readonly<Record<string, string>> };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
}

const pathTo = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const read = (file: string): string => readFileSync(pathTo(file), 'utf8');
const text = read('docker-compose.yml');

/** A value as compose reads it where nobody sets a variable. */
const withDefaults = (value = ''): string => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');

const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);

const service = (name: string): Service => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};

/** The values of a flag that may be given again. */
const flagsOf = ({ command = [] }: Service, name: string): readonly string[] =>
  command.flatMap((word) => (word.startsWith(`-${name}=`) ? [word.slice(name.length + 2)] : []));

describe('docker-compose.yml', () => {
  test.each(services)('pins %s, confines it, and keeps what it logs and takes within bounds', (_, each) => {
    expect(each.image).toMatch(/:v?\d+\.\d+\.\d+(?:-noble)?$/);
    expect(each).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
      logging: { options: { 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.stringMatching(/^\d$/) } },
    });
    expect(each).not.toHaveProperty('privileged');
    expect(each).not.toHaveProperty('network_mode');
    for (const port of each.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test.each(services)('mounts into %s only folders that exist, read-only, and volumes that are declared', (_, each) => {
    for (const [source = '', , mode] of (each.volumes ?? []).map((volume) => volume.split(':'))) {
      if (source.startsWith('./')) expect(statSync(pathTo(source)).isDirectory()).toBe(true);
      if (/^[./]/.test(source)) expect(mode).toBe('ro');
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const network of each.networks ?? []) expect(['default', ...Object.keys(compose.networks)]).toContain(network);
  });

  test('has a health check for every service', () => {
    for (const [name, { build, healthcheck }] of services)
      if (build) expect(read('Dockerfile'), name).toMatch(/^HEALTHCHECK /m);
      else expect(healthcheck?.test[0], name).toBe('CMD');
  });

  test('holds no secret', () => {
    const names = services.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(names.filter((name) => /SECRET|PASSWORD|TOKEN|KEY/.test(name) && !name.endsWith('_FILE'))).toEqual([]);
    expect(text).not.toMatch(/:\/\/[^/\s]*@/);
  });

  test('builds subnetd from the version that package.json names, with an inventory that is good', () => {
    const { image, environment, volumes } = service('subnetd');
    expect(image).toBe(`subnetd:${JSON.parse(read('package.json')).version}`);
    expect(volumes).toContain('./config:/etc/subnetd:ro');
    const file = withDefaults(environment?.SUBNETD_CONFIG).replace('/etc/subnetd/', 'config/');
    const { status, stderr } = spawnSync(pathTo('bin/subnetd'), ['check-config', pathTo(file)], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(parse(read(file)).docker).toEqual({
      host: 'socket-proxy',
      port: Number(flagsOf(service('socket-proxy'), 'proxyport')[0]),
    });
  });

  test('lets an init reap what a browser leaves behind', () => {
    expect(service('subnetd').init).toBe(true);
  });

  test('watches what `npm start` watches, as far as it is seen from a container', () => {
    const { subnets } = parse(read('config/subnetd.yaml.example'), (key, value) =>
      key === 'ipc' || key === 'logFiles' || key === 'checks'
        ? undefined
        : typeof value === 'string'
          ? value.replace('//127.0.0.1:', '//host.docker.internal:')
          : value,
    );
    const [watched] = parse(read('config/subnetd.compose.yaml.example')).subnets;
    const { browser, ...frontend } = watched.frontend;
    expect([{ ...watched, frontend }]).toEqual(subnets);
    expect(Object.keys(compose.services)).toContain(new URL(browser.cdpUrl).hostname);
  });

  test('lets Prometheus scrape subnetd by a configuration that promtool finds good', () => {
    expect(service('prometheus').volumes).toContain('./config/prometheus:/etc/prometheus:ro');
    expect(service('prometheus').command).toContain('--config.file=/etc/prometheus/prometheus.yml');
    const promtool = findProgram('promtool', 'prometheus');
    const check = spawnSync(promtool, ['check', 'config', pathTo('config/prometheus/prometheus.yml')]);
    expect({ status: check.status, stderr: String(check.stderr) }).toEqual({ status: 0, stderr: '' });
    const { global, scrape_configs } = parse(read('config/prometheus/prometheus.yml'));
    expect(global.scrape_interval).toBe('10s');
    expect(scrape_configs).toContainEqual({
      job_name: 'subnetd',
      static_configs: [{ targets: [`subnetd:${/^EXPOSE (\d+)$/m.exec(read('Dockerfile'))?.[1]}`] }],
    });
  });
});

describe('the socket proxy of docker-compose.yml', () => {
  const proxy = service('socket-proxy');
  // The proxy anchors each pattern at both ends, and looks at the path without its query.
  const rules = flagsOf(proxy, 'allowGET').map((source) => new RegExp(`^(?:${source})$`));
  const used = new Set<RegExp>();
  const refused: string[] = [];
  let engine: Engine;

  const server = createServer((incoming, outgoing) => {
    const path = decodeURIComponent(new URL(incoming.url ?? '', 'http://docker').pathname);
    const rule = incoming.method === 'GET' ? rules.find((each) => each.test(path)) : undefined;
    if (rule === undefined) {
      refused.push(`${incoming.method} ${path}`);
      outgoing.writeHead(403).end();
      return;
    }
    used.add(rule);
    const { method, url, headers } = incoming;
    const onward = request({ socketPath: engine.socketPath, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream of events begins long before its first event.
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.end();
  });

  beforeAll(async () => {
    engine = await useEngine();
    await importBusybox(engine.docker);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await engine?.stop();
  });

  test('allows what subnetd asks of Docker, and nothing that it does not ask', async () => {
    const plan = {
      name: uniqueName('watched'),
      command: ['sleep', '1000'],
      labels: composeLabels('proxied', 'subnet1'),
    };
    const docker = createDocker({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    const actions: string[] = [];
    const { promise: up, resolve } = Promise.withResolvers<boolean>();
    docker.follow(({ action }) => actions.push(action), resolve);
    expect(await up).toBe(true);
    const container = await runContainer(engine.docker, plan);
    try {
      for (const ref of [{ name: plan.name }, { project: 'proxied', service: 'subnet1' }]) {
        const seen = await docker.inspect(ref, AbortSignal.timeout(5_000));
        expect(seen).toMatchObject({ kind: 'found', container: { running: true, memoryBytes: expect.any(Number) } });
      }
      await vi.waitFor(() => expect(actions).toContain('start'), { timeout: 30_000 });
      const log = await docker.openLog(container.id, 0, AbortSignal.timeout(5_000));
      expect(log.statusCode).toBe(200);
      log.destroy();
    } finally {
      docker.stop();
      await container.remove({ force: true });
    }
    expect(refused).toEqual([]);
    expect(rules.filter((rule) => !used.has(rule))).toEqual([]);
  });

  test.each([
    '/info',
    '/images/json',
    '/secrets',
    '/containers/subnet1/archive',
    '/containers/subnet1/export',
    '/containers/subnet1/top',
    '/containers/subnet1/attach/ws',
    '/containers/../secrets/json',
    '/containers/subnet1/archive/json',
    '/v1.41/containers/subnet1/archive',
    '/exec/1/json',
  ])('refuses GET %s', (path) => {
    expect(rules.filter((rule) => rule.test(path))).toEqual([]);
  });

  test('lets nothing but GET pass, and no one but subnetd ask, on a network of their own', () => {
    expect(proxy.command?.filter((word) => /^-allow[A-Z]/.test(word) && !word.startsWith('-allowGET='))).toEqual([]);
    expect(Object.keys(proxy.environment ?? {})).toEqual([]);
    expect(flagsOf(proxy, 'allowfrom')).toEqual(['subnetd']);
    expect(proxy.ports).toBeUndefined();
    expect(proxy.networks).toEqual(['docker-api']);
    expect(compose.networks['docker-api']).toEqual({ internal: true });
    const others = services.filter(([, { networks = [] }]) => networks.includes('docker-api')).map(([name]) => name);
    expect(others.toSorted()).toEqual(['socket-proxy', 'subnetd']);
  });
});
