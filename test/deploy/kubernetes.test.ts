import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Deployment } from 'kubernetes-models/apps/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = parseAllDocuments(read('deploy/kubernetes/subnetd.yaml')).map((document) => document.toJS());
const models = { ConfigMap, Deployment, PersistentVolumeClaim, Service };

// Within the clone, where the compiler finds its libraries.
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ofKind = (kind: keyof typeof models) => {
  const found = documents.filter((document) => document.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
};

/** What Kubernetes's schemas say of documents: the values by their validators, and members that there are not by their types. */
function errors(all: readonly { readonly kind: keyof typeof models }[]): string {
  for (const document of all) new models[document.kind](document as never).validate();
  const lines = all.map(
    (document, index) =>
      `export const document${index}: ${document.kind === 'Deployment' ? 'apps' : 'core'}.I${document.kind} = ${JSON.stringify(document)};`,
  );
  const imports = `import type * as apps from 'kubernetes-models/apps/v1';
import type * as core from 'kubernetes-models/v1';`;
  const file = join(folder, 'manifest.mts');
  writeFileSync(file, [imports, ...lines].join('\n'));
  const words = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--types',
    '',
    file,
  ];
  return spawnSync(join(root, 'node_modules/.bin/tsc'), words, { encoding: 'utf8' }).stdout;
}

describe('the manifest for Kubernetes', () => {
  const pod = ofKind('Deployment').spec.template.spec;
  const [container] = pod.containers;

  test('is good by the schemas of Kubernetes', () => {
    expect(errors(documents)).toBe('');
    const misspelt = structuredClone(ofKind('Deployment'));
    misspelt.spec.template.spec.containers[0].livenessProbe.periodSecond = 5;
    expect(errors([misspelt])).toMatch(/periodSecond.* does not exist/);
    const wrong = structuredClone(ofKind('Deployment'));
    wrong.spec.replicas = 'one';
    expect(() => errors([wrong])).toThrow('replicas');
  }, 60_000);

  test('mounts a good inventory where the image reads it', () => {
    const [file, inventory] = Object.entries(ofKind('ConfigMap').data)[0] as [string, string];
    writeFileSync(join(folder, file), inventory);
    const words = ['check-config', join(folder, file)];
    const { status, stderr } = spawnSync(join(root, 'bin/subnetd'), words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [mount] = container.volumeMounts.filter(({ name }: { readonly name: string }) => name === 'config');
    expect(read('Dockerfile')).toContain(`SUBNETD_CONFIG=${mount.mountPath}/${file}`);
  });

  test('asks for life and readiness, and may write nowhere but to its volume', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    const declared = pod.volumes.map(({ name }: { readonly name: string }) => name);
    expect(container.volumeMounts.map(({ name }: { readonly name: string }) => name)).toEqual(declared);
    const [claim] = pod.volumes.flatMap(
      (volume: { readonly persistentVolumeClaim?: { readonly claimName: string } }) =>
        volume.persistentVolumeClaim ? [volume.persistentVolumeClaim.claimName] : [],
    );
    expect(ofKind('PersistentVolumeClaim').metadata.name).toBe(claim);
  });

  test('is found by its service, and by the monitor of the Prometheus operator', () => {
    const { labels } = ofKind('Deployment').spec.template.metadata;
    expect(labels).toEqual(ofKind('Deployment').spec.selector.matchLabels);
    expect(labels).toEqual(ofKind('Service').spec.selector);
    const monitor = parse(read('deploy/kubernetes/service-monitor.yaml'));
    expect(ofKind('Service').metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(monitor.spec.endpoints).toEqual([{ port: 'http', path: '/metrics', interval: '10s' }]);
  });
});
