import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** An object of Kubernetes, as a manifest has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The module with the schemas of an API, as of `apps/v1`. */
const moduleOf = ({ apiVersion }: Manifest): string =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;

/** What the compiler says of the manifests as values of the types of their schemas; nothing when all is well. */
function checkMembers(manifests: readonly Manifest[]): string {
  // Within the clone, where the compiler finds its libraries.
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, 'node_modules/.cache/kubernetes-'));
  try {
    const lines = manifests.map(
      (manifest, index) =>
        `import type { I${manifest.kind} as I${index} } from '${moduleOf(manifest)}';
export const manifest${index}: I${index} = ${JSON.stringify(manifest)};`,
    );
    const file = join(folder, 'manifest.mts');
    writeFileSync(file, lines.join('\n'));
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext', '--types', ''];
    return spawnSync(join(root, 'node_modules/.bin/tsc'), [...flags, file], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What the schemas of Kubernetes say of manifests: of values by their validators, which throw, and of members that there are not by
 * their types, as a text.
 */
export async function checkManifests(manifests: readonly Manifest[]): Promise<string> {
  for (const manifest of manifests) {
    const models = (await import(moduleOf(manifest))) as Record<
      string,
      new (
        value: Manifest,
      ) => { readonly validate: () => void }
    >;
    const Model = models[manifest.kind];
    if (Model === undefined) throw new Error(`${manifest.apiVersion} has no ${manifest.kind}`);
    new Model(manifest).validate();
  }
  return checkMembers(manifests);
}
