import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Subnet } from '../../../src/model/target.ts';
import { importDeployment } from '../../../src/watch/import/import-deployment.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';

/** Where the recorded deployments are. */
export const FIXTURES = join(import.meta.dirname, '../../fixtures/deployments');
/** Deployments of three nodes on one machine, one for each way in which the generator wrote them. */
export const DEPLOYMENTS = ['v0.2.2/linux', 'v0.2.2/mac', 'v1.0.1/linux', 'v2.0.0/wizard', 'v2.0.0/command-line'];
/** Every recorded deployment. */
export const ALL = [...DEPLOYMENTS, 'v2.0.0/added-node', 'v2.0.0/machines'];

/** An empty folder that the end of the test removes. */
export function temporaryFolder(name = 'generated'): string {
  const parent = mkdtempSync(join(tmpdir(), 'import-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A copy of a recorded deployment, so that the place of the clone does not count in the length of its paths. */
export function fixture(name: string): string {
  const folder = temporaryFolder();
  cpSync(join(FIXTURES, name, 'generated'), folder, { recursive: true });
  return folder;
}

/** A deployment of the test's own, from file names and texts. */
export function deployment(files: Readonly<Record<string, string>>, name?: string): string {
  const folder = temporaryFolder(name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** A deployment of nothing but a compose file. */
export const compose = (text: string): string => deployment({ 'docker-compose.yml': text });

/** What `import` prints; throws its problems. */
export function imported(
  folder: string,
  host?: string,
  compose = false,
): { readonly yaml: string; readonly notes: readonly string[] } {
  const result = importDeployment(folder, { ...(host !== undefined && { host }), compose });
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result;
}

/** The problems of a folder, which is called DIR in them. */
export function errors(folder: string, host?: string, compose = false): readonly string[] {
  const result = importDeployment(folder, { ...(host !== undefined && { host }), compose });
  return result.ok ? [] : result.errors.map((error) => error.replaceAll(folder, 'DIR'));
}

/** The subnet that the inventory's own parser reads from what was printed. */
export function subnet(yaml: string): Subnet {
  const parsed = parseInventory(yaml, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  const [first] = parsed.inventory.subnets;
  if (!first) throw new Error('the inventory has no subnet');
  return first;
}

/** The targets of a folder by name, without what is the same for all. */
export const targets = (folder: string, host?: string, compose = false) =>
  Object.fromEntries(
    subnet(imported(folder, host, compose).yaml).targets.map((target) => [
      target.name,
      { ...target, subnet: undefined },
    ]),
  );

const address = (target: object | undefined): unknown => Object(target).rpc ?? Object(target).url;

/** The URL of every target by its name. */
export const addresses = (folder: string, host?: string, compose = false) =>
  Object.fromEntries(Object.entries(targets(folder, host, compose)).map(([name, target]) => [name, address(target)]));
