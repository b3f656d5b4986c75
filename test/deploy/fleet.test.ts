import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { toManifest } from '../../scripts/rules.ts';
import { parseSettings } from '../../src/daemon/settings.ts';
import { findProgram } from '../support/engine.ts';
import { checkManifests, type Manifest } from '../support/manifests.ts';
import { checkWithPromtool } from '../support/promtool.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'subnetd-fleet-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What kubectl makes of a kustomization. */
const render = (path: string) =>
  parseAllDocuments(
    execFileSync(findProgram('kubectl', 'kubernetes-client'), ['kustomize', join(root, path)], { encoding: 'utf8' }),
  ).map((document) => document.toJS());

const fleet = render('deploy/kubernetes/fleet');
const boards = render('grafana/dashboards');
const find = (kind: string, name = 'subnetd') => {
  const found = fleet.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
};
const { spec } = find('StatefulSet');
const pod = spec.template.spec;
const [container] = pod.containers;

/** Of the pod with this index: what its variables are, as Kubernetes fills them in. */
function fillEnvironment(index: number): Record<string, string> {
  const secrets: Record<string, string> = {
    'database-url': 'postgres://subnetd:secret@postgres/subnetd',
    'jwt-secret': 'x'.repeat(32),
  };
  const fields: Record<string, string> = {
    'metadata.name': `subnetd-${index}`,
    "metadata.labels['apps.kubernetes.io/pod-index']": String(index),
  };
  const filled: Record<string, string> = {};
  for (const { name, value, valueFrom } of container.env) {
    const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    const given =
      value?.replace(/\$\((\w+)\)/g, (_: string, other: string) => filled[other] ?? `no ${other} before ${name}`) ??
      (fieldRef && fields[fieldRef.fieldPath]) ??
      (secretKeyRef?.name === 'subnetd' ? secrets[secretKeyRef.key] : undefined) ??
      (configMapKeyRef && find('ConfigMap', configMapKeyRef.name).data[configMapKeyRef.key]);
    expect(given, name).toBeTypeOf('string');
    filled[name] = given;
  }
  return filled;
}

describe('the fleet for Kubernetes', () => {
  test('is good by the schemas of Kubernetes and of the Prometheus operator', async () => {
    expect(await checkManifests([...fleet, ...boards] as readonly Manifest[])).toBe('');
    const misspelt = structuredClone(find('ServiceMonitor'));
    misspelt.spec.endpoints[0].relabeling = [];
    expect(await checkManifests([misspelt])).toMatch(/relabeling.* does not exist/);
  }, 60_000);

  test('fits what kubectl apply keeps in the annotation of an object', () => {
    for (const one of [...fleet, ...boards])
      expect(JSON.stringify(one).length, one.metadata.name).toBeLessThan(262_144);
  });

  test('gives each pod the shard of its index, a permanent name, and secrets by reference', () => {
    const shards = Array.from({ length: spec.replicas }, (_, index) => {
      const parsed = parseSettings(fillEnvironment(index), {}, '0.0.0.0:10545');
      expect(parsed).toMatchObject({ ok: true });
      return parsed.ok && { instance: parsed.settings.instance, shard: parsed.settings.shard };
    });
    expect(shards).toEqual(
      [0, 1, 2].map((index) => ({ instance: `subnetd-${index}`, shard: { index, total: spec.replicas } })),
    );
    const plain = container.env.flatMap(({ value }: { readonly value?: string }) => value ?? []);
    expect(plain).toEqual(['$(POD_INDEX)/$(SHARDS)']);
  });

  test('mounts a good inventory where the image reads it', () => {
    const file = join(folder, 'subnetd.yaml');
    writeFileSync(file, find('ConfigMap').data['subnetd.yaml']);
    const { status, stderr } = spawnSync(join(root, 'bin/subnetd'), ['check-config', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(container.volumeMounts[0]).toEqual({ name: 'config', mountPath: '/etc/subnetd', readOnly: true });
    expect(pod.volumes[0]).toEqual({ name: 'config', configMap: { name: 'subnetd' } });
    expect(read('Dockerfile')).toContain('SUBNETD_CONFIG=/etc/subnetd/subnetd.yaml');
  });

  test('runs the pods as the single one is run', () => {
    const single = parseAllDocuments(read('deploy/kubernetes/subnetd.yaml'))
      .map((document) => document.toJS())
      .find(({ kind }) => kind === 'Deployment').spec.template.spec;
    const { volumeMounts: _, env: __, resources: ___, ...rest } = container;
    expect(single.containers[0]).toMatchObject(rest);
    const { fsGroup: ____, fsGroupChangePolicy: _____, ...security } = single.securityContext;
    expect(pod.securityContext).toEqual(security);
  });

  test('is one group of pods for its services, its disruption budget and its network policy', () => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('Service', spec.serviceName).spec).toMatchObject({ clusterIP: 'None', selector: labels });
    expect(find('PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    expect(find('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    const [port] = find('NetworkPolicy').spec.ingress[0].ports;
    expect(container.ports).toEqual([{ name: port.port, containerPort: 10545 }]);
  });

  test('is scraped once for each pod, under the name of the pod', () => {
    const { selector, endpoints } = find('ServiceMonitor').spec;
    const scraped = fleet.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(selector.matchLabels).every(([name, value]) => metadata.labels?.[name] === value),
    );
    expect(scraped.map(({ metadata }) => metadata.name)).toEqual(['subnetd']);
    expect(endpoints[0]).toMatchObject({ port: 'http', path: '/metrics' });
    const names = { sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' };
    expect(endpoints[0].relabelings).toContainEqual(names);
  });

  test('has a configuration for a Prometheus without the operator, in which promtool finds no fault', async () => {
    const file = 'deploy/kubernetes/fleet/scrape.yaml';
    expect(await checkWithPromtool('config', [join(root, file)])).toMatchObject({ status: 0 });
    const [job] = parse(read(file)).scrape_configs;
    // The rules ask for this job.
    expect(job.job_name).toBe('subnetd');
    expect(job.dns_sd_configs).toEqual([{ names: [`_http._tcp.${spec.serviceName}`], type: 'SRV' }]);
    const [{ regex }] = job.relabel_configs;
    const address = 'subnetd-2.subnetd-pods.default.svc.cluster.local.:10545';
    expect(new RegExp(`^(?:${regex})$`).exec(address)?.[1]).toBe('subnetd-2');
  });

  test('has the rules as `npm run rules` writes them, in which promtool finds no fault', async () => {
    const [file, text] = toManifest();
    expect(read(file)).toBe(text);
    const rules = join(folder, 'rules.yaml');
    writeFileSync(rules, stringify({ groups: find('PrometheusRule').spec.groups }));
    expect(await checkWithPromtool('rules', [rules])).toMatchObject({ status: 0 });
  });

  test('has each dashboard as a ConfigMap that Grafana’s sidecar finds', () => {
    const files = boards.flatMap(({ data }) => Object.keys(data)).sort();
    expect(files).toEqual(['fleet.json', 'node.json', 'self.json', 'services.json']);
    for (const { data, metadata } of boards) {
      expect(metadata.labels.grafana_dashboard).toBe('1');
      for (const [file, text] of Object.entries(data)) expect(text).toBe(read(`grafana/dashboards/${file}`));
    }
  });
});
