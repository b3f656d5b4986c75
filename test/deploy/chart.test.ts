import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { toChartRules } from '../../scripts/rules.ts';
import { parseSettings } from '../../src/daemon/settings.ts';
import { toRuleGroups } from '../../src/tell/alerts/to-rule-groups.ts';
import { findProgram } from '../support/engine.ts';
import { chart, helm, renderChart } from '../support/helm.ts';
import { checkManifests, type Manifest } from '../support/manifests.ts';
import { checkWithPromtool } from '../support/promtool.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'subnetd-chart-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LINKS = { publicUrl: 'https://subnetd.example.com', grafanaUrl: 'https://grafana.example.com' };
const OPERATOR = { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } };
const single = renderChart();
const fleet = renderChart({ shards: 3, database: { existingSecret: 'subnetd-database' }, ...LINKS, ...OPERATOR });
/** With everything that is off by default. */
const guarded = renderChart(
  {
    ...OPERATOR,
    image: { digest: `sha256:${'a'.repeat(64)}` },
    imagePullSecrets: [{ name: 'registry' }],
    existingInventory: 'inventory',
    persistence: { existingClaim: 'claim' },
    environment: { SUBNETD_RATE_LIMIT: 50 },
    environmentFrom: [{ secretRef: { name: 'tokens' } }],
    existingSecretFiles: 'files',
    webConfig: { existingSecret: 'web', tls: true, clientCertificates: true },
    service: { annotations: { a: 'b' } },
    podAnnotations: { c: 'd' },
    podLabels: { e: 'f' },
    nodeSelector: { g: 'h' },
    tolerations: [{ operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'high',
  },
  'prod',
);
const boards = parseAllDocuments(
  execFileSync(findProgram('kubectl', 'kubernetes-client'), ['kustomize', join(root, 'grafana/dashboards')], {
    encoding: 'utf8',
  }),
).map((document) => document.toJS());

/** The only object of this kind, with this name. */
const find = (objects: typeof fleet, kind: string, name = 'subnetd') => {
  const found = objects.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
};
const podOf = (objects: typeof fleet) =>
  objects.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet').spec.template.spec;

/** Of the pod of the fleet with this index: what its variables are, as Kubernetes fills them in. */
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
  for (const { name, value, valueFrom } of podOf(fleet).containers[0].env) {
    const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom ?? {};
    const given =
      value?.replace(/\$\((\w+)\)/g, (_: string, other: string) => filled[other] ?? `no ${other} before ${name}`) ??
      (fieldRef && fields[fieldRef.fieldPath]) ??
      (secretKeyRef?.name === 'subnetd-database' ? secrets[secretKeyRef.key] : undefined) ??
      (configMapKeyRef && find(fleet, 'ConfigMap', configMapKeyRef.name).data[configMapKeyRef.key]);
    expect(given, name).toBeTypeOf('string');
    filled[name] = given;
  }
  return filled;
}

describe('the Helm chart', () => {
  test('has nothing that helm objects to, and is of the version of the program', () => {
    expect(helm('lint', '--strict', chart)).toContain('0 chart(s) failed');
    const { version } = JSON.parse(read('package.json'));
    expect(parse(read('deploy/helm/subnetd/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  test('is good by the schemas of Kubernetes and of the Prometheus operator', async () => {
    expect(await checkManifests([...single, ...fleet, ...guarded, ...boards] as readonly Manifest[])).toBe('');
    const misspelt = structuredClone(find(fleet, 'ServiceMonitor'));
    misspelt.spec.endpoints[0].relabeling = [];
    expect(await checkManifests([misspelt])).toMatch(/relabeling.* does not exist/);
    const wrong = structuredClone(find(single, 'Deployment'));
    wrong.spec.replicas = 'one';
    await expect(checkManifests([wrong])).rejects.toThrow('replicas');
  }, 60_000);

  test('fits what kubectl apply keeps in the annotation of an object', () => {
    for (const one of [...fleet, ...boards])
      expect(JSON.stringify(one).length, one.metadata.name).toBeLessThan(262_144);
  });

  test('refuses values that it does not know, and shards without a database', () => {
    expect(() => renderChart({ shard: 3 })).toThrow(/additional properties 'shard' not allowed/);
    expect(() => renderChart({ shards: 3 })).toThrow(/set database\.existingSecret to a Secret/);
  });

  test('mounts a good inventory where the image reads it, the same for one pod and for many', () => {
    const file = join(folder, 'subnetd.yaml');
    writeFileSync(file, find(single, 'ConfigMap').data['subnetd.yaml']);
    const { status, stderr } = spawnSync(join(root, 'bin/subnetd'), ['check-config', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(find(fleet, 'ConfigMap').data).toEqual(find(single, 'ConfigMap').data);
    expect(read('Dockerfile')).toContain('SUBNETD_CONFIG=/etc/subnetd/subnetd.yaml');
    for (const [objects, name] of [
      [single, 'subnetd'],
      [fleet, 'subnetd'],
      [guarded, 'inventory'],
    ] as const) {
      const { containers, volumes } = podOf(objects);
      expect(containers[0].volumeMounts).toContainEqual({ name: 'config', mountPath: '/etc/subnetd', readOnly: true });
      expect(volumes).toContainEqual({ name: 'config', configMap: { name } });
    }
  });

  test('takes the values of its page, which names each', () => {
    const page = read('docs/kubernetes.md');
    const examples = [...page.matchAll(/```yaml title="values.yaml"\n([\s\S]*?)```/g)].map(([, text = '']) =>
      parse(text),
    );
    expect(examples).toHaveLength(2);
    for (const example of examples) expect(renderChart(example).length).toBeGreaterThan(4);
    const named = new Set([...page.matchAll(/`(\w+)(?:\.\w+)?`/g)].map(([, name]) => name));
    const usual = ['image', 'service', 'logLevel', 'resources', 'replicas', 'affinity', 'tolerations', 'nodeSelector'];
    for (const name of Object.keys(parse(read('deploy/helm/subnetd/values.yaml'))))
      expect(named.has(name) || usual.includes(name) || /^(?:pod|imagePull|priority)/.test(name), name).toBe(true);
  });

  test('keeps an inventory as it was written', () => {
    const inventory = { subnets: [{ name: 'a', pin: 12_345_678_901, ratio: 0.5, text: '0012', token: `\${TOKEN}` }] };
    const [{ data }] = renderChart({ inventory }).filter(({ kind }) => kind === 'ConfigMap');
    expect(parse(data['subnetd.yaml'])).toEqual(inventory);
  });

  test('is run by nobody special, who writes only to its volumes and is asked for a start, for life and readiness', () => {
    for (const objects of [single, fleet, guarded]) {
      const pod = podOf(objects);
      const [container] = pod.containers;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      const writable = container.volumeMounts.filter(({ readOnly }: { readonly readOnly?: boolean }) => !readOnly);
      expect(writable.map(({ mountPath }: { readonly mountPath: string }) => mountPath)).toEqual([
        '/var/lib/subnetd',
        '/tmp',
      ]);
      const names = (values: readonly { readonly name: string }[]) => values.map(({ name }) => name);
      expect(names(container.volumeMounts)).toEqual(names(pod.volumes));
    }
    const [container] = podOf(single).containers;
    expect(container.startupProbe).toMatchObject({ httpGet: { path: '/livez', port: 'http' }, failureThreshold: 60 });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
  });

  test('runs one pod at a time where all would be the same instance, and keeps its volume', () => {
    const { replicas, strategy, template } = find(single, 'Deployment').spec;
    expect({ replicas, strategy }).toEqual({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(template.spec.containers[0].env).toContainEqual({ name: 'SUBNETD_INSTANCE', value: 'subnetd' });
    const claimOf = (objects: typeof fleet) =>
      podOf(objects).volumes.find(({ name }: { readonly name: string }) => name === 'data').persistentVolumeClaim;
    expect(claimOf(single)).toEqual({ claimName: 'subnetd' });
    expect(find(single, 'PersistentVolumeClaim').metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
    expect(claimOf(guarded)).toEqual({ claimName: 'claim' });
    for (const objects of [fleet, guarded])
      expect(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([]);
  });

  test('gives each pod of a fleet the shard of its index, a permanent name, and secrets by reference', () => {
    const { replicas } = find(fleet, 'StatefulSet').spec;
    const shards = Array.from({ length: replicas }, (_, index) => {
      const parsed = parseSettings(fillEnvironment(index), {}, '0.0.0.0:10545');
      expect(parsed).toMatchObject({ ok: true });
      return parsed.ok && { instance: parsed.settings.instance, shard: parsed.settings.shard };
    });
    expect(shards).toEqual(
      [0, 1, 2].map((index) => ({ instance: `subnetd-${index}`, shard: { index, total: replicas } })),
    );
    // While shards become fewer, there are more pods than shards.
    const shrinking = renderChart({ shards: 2, replicas: 3, database: { existingSecret: 'subnetd-database' } });
    expect(find(shrinking, 'StatefulSet').spec.replicas).toBe(3);
    expect(find(shrinking, 'ConfigMap', 'subnetd-shards').data).toEqual({ total: '2' });
  });

  test('is one group of pods for its services, its disruption budget and its network policy', () => {
    const { selector, template, serviceName } = find(fleet, 'StatefulSet').spec;
    const labels = selector.matchLabels;
    expect(template.metadata.labels).toEqual(labels);
    expect(find(fleet, 'Service').spec.selector).toEqual(labels);
    expect(find(fleet, 'Service', serviceName).spec).toMatchObject({ clusterIP: 'None', selector: labels });
    expect(find(fleet, 'PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } });
    expect(find(fleet, 'NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
    const [{ ports, from }] = find(fleet, 'NetworkPolicy').spec.ingress;
    expect(podOf(fleet).containers[0].ports).toEqual([{ name: ports[0].port, containerPort: 10545 }]);
    expect(from).toEqual([
      { podSelector: {} },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ]);
    // Another release is another group.
    expect(find(guarded, 'Deployment', 'prod-subnetd').spec.selector.matchLabels).not.toEqual(labels);
  });

  test('asks a port with TLS over TLS, and one that wants certificates from inside', () => {
    const { containers } = podOf(guarded);
    expect(containers[0].livenessProbe.exec).toEqual({ command: ['subnetd', 'health'] });
    expect(find(guarded, 'ServiceMonitor', 'prod-subnetd').spec.endpoints[0].scheme).toBe('https');
    const [overTls] = podOf(renderChart({ webConfig: { existingSecret: 'web', tls: true } })).containers;
    expect(overTls.startupProbe.httpGet).toEqual({ path: '/livez', port: 'http', scheme: 'HTTPS' });
    expect(overTls.env).toContainEqual({ name: 'SUBNETD_WEB_CONFIG', value: '/etc/subnetd-web/web.yml' });
  });

  test.each([
    ['one pod', guarded, 'prod-subnetd'],
    ['a fleet', fleet, 'subnetd'],
  ])('is scraped once for each pod under the job of the rules: %s', (_, objects, name) => {
    const { selector, endpoints } = find(objects, 'ServiceMonitor', name).spec;
    const scraped = objects.filter(
      ({ kind, metadata }) =>
        kind === 'Service' &&
        Object.entries(selector.matchLabels).every(([label, value]) => metadata.labels[label] === value),
    );
    expect(scraped.map(({ metadata }) => metadata.name)).toEqual([name]);
    expect(endpoints[0]).toMatchObject({ port: 'http', path: '/metrics' });
    const instance = { sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' };
    expect(endpoints[0].relabelings).toContainEqual(instance);
    expect(endpoints[0].relabelings).toContainEqual({ targetLabel: 'job', replacement: 'subnetd' });
  });

  test('has the rules of `subnetd rules`, with links to the addresses that it is given and no others', async () => {
    const [file, text] = toChartRules();
    expect(read(file)).toBe(text);
    const { groups } = find(fleet, 'PrometheusRule').spec;
    expect(groups).toEqual(JSON.parse(JSON.stringify(Object.values(toRuleGroups(LINKS)))));
    const rules = join(folder, 'rules.yaml');
    writeFileSync(rules, stringify({ groups }));
    expect(await checkWithPromtool('rules', [rules])).toMatchObject({ status: 0 });
    const { groups: withoutLinks } = find(guarded, 'PrometheusRule', 'prod-subnetd').spec;
    expect(withoutLinks).toEqual(JSON.parse(JSON.stringify(Object.values(toRuleGroups({})))));
  });

  test('is scraped by a Prometheus without the operator, in whose configuration promtool finds no fault', async () => {
    const [, text = ''] = /```yaml\n(scrape_configs:[\s\S]*?)```/.exec(read('docs/kubernetes.md')) ?? [];
    const file = join(folder, 'scrape.yaml');
    writeFileSync(file, text);
    expect(await checkWithPromtool('config', [file])).toMatchObject({ status: 0 });
    const [job] = parse(text).scrape_configs;
    expect(job.job_name).toBe('subnetd');
    expect(job.dns_sd_configs).toEqual([
      { names: [`_http._tcp.${find(fleet, 'StatefulSet').spec.serviceName}`], type: 'SRV' },
    ]);
    const [{ regex }] = job.relabel_configs;
    const address = 'subnetd-2.subnetd-pods.default.svc.cluster.local.:10545';
    expect(new RegExp(`^(?:${regex})$`).exec(address)?.[1]).toBe('subnetd-2');
  });
});

test('each dashboard is a ConfigMap that Grafana’s sidecar finds', () => {
  const files = boards.flatMap(({ data }) => Object.keys(data)).sort();
  expect(files).toEqual(['fleet.json', 'node.json', 'self.json', 'services.json']);
  for (const { data, metadata } of boards) {
    expect(metadata.labels.grafana_dashboard).toBe('1');
    for (const [file, text] of Object.entries(data)) expect(text).toBe(read(`grafana/dashboards/${file}`));
  }
});
