import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from '../support/dashboards.ts';
import { findProgram } from '../support/engine.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pages-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRETS = 'config/alertmanager/secrets/';

describe('the pages on dashboards and installation', () => {
  test.each(['docs/dashboards.md', 'docs/compose.md', 'docs/install.md'])('%s names only existing files', (file) => {
    const named = [...read(file).matchAll(/`?((?:grafana|deploy|config)\/[\w./*-]+?)(?=[`\s)]|$)/gm)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(0);
    const isThere = (path: string) => existsSync(join(root, path));
    // A file that the operator writes has an example; a folder of secrets has none.
    for (const path of named.map((each) => each.replace(/\*.*$/, '')))
      expect(isThere(path) || isThere(`${path}.example`) || path === SECRETS, path).toBe(true);
  });

  test('list every dashboard by its address', () => {
    const listed = [...read('docs/dashboards.md').matchAll(/^\| `\/d\/([\w-]+)` \|/gm)].map(([, uid]) => uid);
    expect(listed.toSorted()).toEqual(dashboards.map(([, { uid }]) => uid).toSorted());
  });

  test('speak of panels by the names that they have', () => {
    const titles = dashboards.flatMap(([, { panels }]) => panels.map(({ title }) => title));
    const night = /## At three[\s\S]*?(?=\n## )/.exec(read('docs/dashboards.md'))?.[0] ?? '';
    for (const title of ['Since the last block', 'More nodes that may fail', 'Checks that fail', 'Alerts that fire']) {
      expect(night).toContain(`\`${title}\``);
      expect(titles).toContain(title);
    }
  });

  test('list every service of docker-compose.yml, and where it answers', () => {
    const services: Readonly<Record<string, { readonly ports?: readonly string[] }>> = parse(
      read('docker-compose.yml'),
      {
        merge: true,
      },
    ).services;
    const rows = [...read('docs/compose.md').matchAll(/^\| `([\w-]+)` \| (\S*) ?\|/gm)].map(([, name, at]) => [
      name,
      at,
    ]);
    const expected = Object.entries(services).map(([name, { ports }]) => [
      name,
      ports === undefined ? '' : `\`http://${ports[0]?.split(':').slice(0, 2).join(':')}\``,
    ]);
    expect(rows.toSorted()).toEqual(expected.toSorted());
  });

  test('make of a deployment an inventory that fits docker-compose.yml', () => {
    const [, script = ''] =
      /```sh\n(\{\n[\s\S]*?\} > config\/subnetd\.compose\.yaml)\n/.exec(read('docs/compose.md')) ?? [];
    const made = join(folder, 'made.yaml');
    const generated = join(root, 'test/fixtures/deployments/v2.0.0/wizard/generated');
    const command = script.replace('/path/to/generated', generated).replace('config/subnetd.compose.yaml', made);
    // The engine of whoever runs this is not that of the container, which is named once.
    const env = { ...process.env, DOCKER_HOST: 'unix:///run/user/1000/docker.sock' };
    expect(spawnSync('sh', ['-euc', command], { cwd: root, env }).status).toBe(0);
    const { status } = spawnSync(join(root, 'bin/subnetd'), ['check-config', made]);
    expect(status).toBe(0);
    const [shipped, own] = [join(root, 'config/subnetd.compose.yaml.example'), made].map((file) =>
      parse(readFileSync(file, 'utf8')),
    );
    expect(own.docker).toEqual(shipped.docker);
    expect(own.subnets[0].nodes).toEqual(shipped.subnets[0].nodes.slice(0, own.subnets[0].nodes.length));
    expect(own.subnets[0].relayer).toEqual(shipped.subnets[0].relayer);
    expect(own.subnets[0].stats).toEqual(shipped.subnets[0].stats);
  });

  test('say how to put a webhook into the configuration of Alertmanager, which stays good', () => {
    const shipped = read('config/alertmanager/alertmanager.yml.example');
    const [command = ''] = /^sed 's#http.*$/m.exec(read('docs/compose.md')) ?? [];
    const made = join(folder, 'alertmanager.yml');
    const words = command.replace('> config/alertmanager/alertmanager.yml', `> ${made}`);
    expect(spawnSync('sh', ['-euc', words], { cwd: root }).status).toBe(0);
    const urlsOf = (text: string) => {
      const { receivers } = parse(text, { merge: true }) as {
        readonly receivers: readonly { readonly webhook_configs?: readonly { readonly url: string }[] }[];
      };
      return receivers.flatMap(({ webhook_configs = [] }) => webhook_configs.map(({ url }) => url));
    };
    expect(urlsOf(shipped).length).toBeGreaterThan(0);
    expect(new Set(urlsOf(readFileSync(made, 'utf8')))).toEqual(new Set(['https://hooks.example.com/subnetd']));
    const amtool = findProgram('amtool', 'prometheus-alertmanager');
    expect(spawnSync(amtool, ['check-config', made]).status).toBe(0);
  });

  test('name only files and commands that exist in the steps for systemd', () => {
    const page = read('docs/install.md');
    const unit = read('deploy/systemd/subnetd.service');
    for (const path of ['/opt/subnetd', '/etc/subnetd/subnetd.yaml', '/etc/subnetd/environment', '/var/lib/subnetd']) {
      expect(page).toContain(path);
      expect(unit).toContain(path);
    }
  });
});
