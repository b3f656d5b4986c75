import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderChart } from '../support/helm.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const toBytes = (text: string): number => {
  const [, size, unit = ''] = /^(\d+)([kmg])i?$/i.exec(text) ?? [];
  return Number(size) * 1024 ** ('kmg'.indexOf(unit.toLowerCase()) + 1);
};

/** How one way to install subnetd runs it. */
interface Way {
  readonly environment: Readonly<Record<string, string>>;
  /** Where it may write for good, where it works, and what it does not get beyond. */
  readonly state: string;
  readonly folder: string;
  readonly memory: number;
  readonly elsewhereReadOnly: boolean;
  readonly capabilities: string;
}

const image = read('Dockerfile');
const ofImage = Object.fromEntries(
  [
    ...(/^ENV (?:.*\\\n)*.*$/m.exec(/# The inventory is read[\s\S]*/.exec(image)?.[0] ?? '')?.[0] ?? '').matchAll(
      /(\w+)=(\S+)/g,
    ),
  ].map(([, name, value]) => [name, value]),
);
const folderOfImage =
  image
    .match(/^WORKDIR (.*)$/gm)
    ?.at(-1)
    ?.slice('WORKDIR '.length) ?? '';

const compose = parse(read('docker-compose.yml'), { merge: true });
const { subnetd } = compose.services;
const byCompose: Way = {
  // The inventory of the compose file is another, beside the one for this machine.
  environment: { ...ofImage, ...subnetd.environment, SUBNETD_CONFIG: ofImage.SUBNETD_CONFIG },
  state: subnetd.volumes.find((volume: string) => volume.startsWith('subnetd-data:'))?.split(':')[1],
  folder: folderOfImage,
  memory: toBytes(subnetd.mem_limit),
  elsewhereReadOnly: subnetd.read_only,
  capabilities: subnetd.cap_drop.includes('ALL') ? '' : 'some',
};

const documents = renderChart({ serviceMonitor: { enabled: true } });
const ofKind = (kind: string) => documents.find((document) => document.kind === kind);
const pod = ofKind('Deployment').spec.template.spec;
const [container] = pod.containers;
const byKubernetes: Way = {
  environment: {
    ...ofImage,
    ...Object.fromEntries(container.env.map(({ name, value }: { name: string; value: string }) => [name, value])),
  },
  state: container.volumeMounts.find(({ name }: { name: string }) => name === 'data').mountPath,
  folder: folderOfImage,
  memory: toBytes(container.resources.limits.memory),
  elsewhereReadOnly: container.securityContext.readOnlyRootFilesystem,
  capabilities: container.securityContext.capabilities.drop.includes('ALL') ? '' : 'some',
};

const unit = read('deploy/systemd/subnetd.service');
const setting = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
const bySystemd: Way = {
  environment: Object.fromEntries(
    [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  ),
  state: `/var/lib/${setting('StateDirectory')}`,
  folder: setting('WorkingDirectory') ?? '',
  memory: toBytes(setting('MemoryMax') ?? ''),
  elsewhereReadOnly: setting('ProtectSystem') === 'strict',
  capabilities: setting('CapabilityBoundingSet') ?? 'some',
};

describe.each([
  ['systemd', bySystemd],
  ['Kubernetes', byKubernetes],
])('subnetd by %s', (_, way) => {
  test('reads, listens, writes and is confined as by docker compose', () => {
    for (const name of ['NODE_ENV', 'SUBNETD_CONFIG', 'SUBNETD_LISTEN', 'SUBNETD_DATABASE_URL'])
      expect(way.environment[name], name).toBe(byCompose.environment[name]);
    const { environment: _ours, ...rest } = way;
    const { environment: _theirs, ...expected } = byCompose;
    expect(rest).toEqual(expected);
    // The database of nobody's choice lies in the folder where it works.
    expect(way.folder).toBe(way.state);
    expect(way.memory).toBe(256 * 1024 ** 2);
  });
});

describe('subnetd in containers', () => {
  test('has one image, port and user', () => {
    expect(container.image).toBe(subnetd.image);
    expect(ofImage.SUBNETD_LISTEN).toBe('0.0.0.0:10545');
    expect(image).toContain('EXPOSE 10545');
    expect(subnetd.ports).toEqual(['127.0.0.1:10545:10545']);
    expect(container.ports).toEqual([{ name: 'http', containerPort: 10545 }]);
    expect(ofKind('Service').spec.ports).toEqual([{ name: 'http', port: 10545, targetPort: 'http' }]);
    expect(image).toMatch(/^USER 1000:1000$/m);
    expect(pod.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 });
  });

  test('keeps its name when a container is recreated, and with it its alerts and log positions', () => {
    expect([byCompose, byKubernetes].map(({ environment }) => environment.SUBNETD_INSTANCE)).toEqual([
      'subnetd',
      'subnetd',
    ]);
  });

  test('is scraped as often as by docker compose', () => {
    const [{ interval }] = ofKind('ServiceMonitor').spec.endpoints;
    expect(interval).toBe(parse(read('config/prometheus/prometheus.yml')).global.scrape_interval);
  });
});
