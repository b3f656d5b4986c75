import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { checkManifests } from '../support/manifests.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const documents = parseAllDocuments(read('deploy/kubernetes/subnetd.yaml')).map((document) => document.toJS());

const folder = mkdtempSync(join(tmpdir(), 'subnetd-kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ofKind = (kind: string) => {
  const found = documents.filter((document) => document.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
};

describe('the manifest for Kubernetes', () => {
  const pod = ofKind('Deployment').spec.template.spec;
  const [container] = pod.containers;

  test('is good by the schemas of Kubernetes', async () => {
    expect(await checkManifests(documents)).toBe('');
    const misspelt = structuredClone(ofKind('Deployment'));
    misspelt.spec.template.spec.containers[0].livenessProbe.periodSecond = 5;
    expect(await checkManifests([misspelt])).toMatch(/periodSecond.* does not exist/);
    const wrong = structuredClone(ofKind('Deployment'));
    wrong.spec.replicas = 'one';
    await expect(checkManifests([wrong])).rejects.toThrow('replicas');
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

  test('runs one pod at a time, as all of its pods would be the same instance', () => {
    const [instance] = container.env.filter(({ name }: { readonly name: string }) => name === 'SUBNETD_INSTANCE');
    const { replicas, strategy } = ofKind('Deployment').spec;
    expect({ replicas, strategy, instance }).toEqual({
      ...{ replicas: 1, strategy: { type: 'Recreate' } },
      instance: { name: 'SUBNETD_INSTANCE', value: 'subnetd' },
    });
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
