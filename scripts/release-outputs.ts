import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepReachable } from './keep-reachable.ts';

/** The members of a CycloneDX document that are read here. */
interface Bom {
  readonly metadata: { readonly component: object };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly version: string;
    readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const readJson = (root: string, file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** `name@version` of every package that is built into the program, or may be installed with it on any platform. */
function readProduction(root: string): ReadonlySet<string> {
  const { packages } = readJson(root, 'package-lock.json');
  const production = Object.entries(keepReachable(packages, Object.keys(packages[''].dependencies)));
  return new Set(production.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`));
}

/** The packages of production. `npm sbom --omit dev` would leave out those that a development package needs too. */
function readBom(root: string, name: string): Bom {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const text = execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  const bom = JSON.parse(text) as Bom;
  const production = readProduction(root);
  const components = bom.components.filter((one) => production.has(`${one.name}@${one.version}`));
  const kept = new Set(components.map((one) => one['bom-ref']));
  const isOwn = (ref: string) => !bom.components.some((one) => one['bom-ref'] === ref);
  return {
    ...bom,
    // npm calls it by its folder.
    metadata: { ...bom.metadata, component: { ...bom.metadata.component, name } },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref) || isOwn(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => kept.has(ref)) })),
  };
}

/**
 * Licences of packages whose package.json has the old list `licenses`, which npm does not put into the lockfile; read from
 * their LICENSE files.
 */
const KNOWN_LICENCES: Readonly<Record<string, string>> = {
  'buildcheck@0.0.7': 'MIT',
  'cpu-features@0.0.10': 'MIT',
  'ssh2@1.17.0': 'MIT',
};

/** A Markdown table of every package with its licence. Throws when one has none, which nobody may ship. */
export function toLicenceList({ components }: Pick<Bom, 'components'>): string {
  const rows = components
    .map(({ name, version, licenses = [] }) => {
      const known = KNOWN_LICENCES[`${name}@${version}`];
      const ids = licenses.flatMap(({ license, expression }) => license?.id ?? expression ?? []);
      if (ids.length === 0 && known !== undefined) ids.push(known);
      if (ids.length === 0)
        throw new Error(`${name} ${version} names no licence in package-lock.json; find out which it has`);
      return `| ${name} | ${version} | ${ids.join(', ')} |`;
    })
    .toSorted();
  return ['| package | version | licence |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** Adds to `folder` the SBOM of the image: that of the package, Node.js, and the packages of Debian, as `dpkg-query --show` lists them. */
export function addImagePackages(folder: string, version: string, debian: string): void {
  const bom = readJson(folder, `subnetd-${version}.cdx.json`);
  const nodes = debian
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, release]) => release !== undefined)
    .map(([name = '', release = '']) => ({
      type: 'library',
      name: name.replace(/:.*/, ''),
      version: release,
      purl: `pkg:deb/debian/${name.replace(/:.*/, '')}@${encodeURIComponent(release)}?distro=bookworm`,
    }));
  const runtime = process.versions.node;
  const node = { type: 'platform', name: 'node', version: runtime, purl: `pkg:generic/node@${runtime}` };
  const file = join(folder, `subnetd-${version}-image.cdx.json`);
  writeFileSync(file, `${JSON.stringify({ ...bom, components: [...bom.components, node, ...nodes] }, null, 2)}\n`);
}

/** Writes the SBOM and the licence list of a version to release/, and resolves to their paths. */
export function writeReleaseOutputs(root: string): readonly string[] {
  const { name, version } = readJson(root, 'package.json');
  const bom = readBom(root, name);
  const files = {
    [`release/${name}-${version}.cdx.json`]: `${JSON.stringify(bom, null, 2)}\n`,
    [`release/${name}-${version}-licences.md`]: `# Licences of ${name} ${version}\n\n${toLicenceList(bom)}`,
  };
  mkdirSync(join(root, 'release'), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  return Object.keys(files);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const file of writeReleaseOutputs(fileURLToPath(new URL('..', import.meta.url)))) console.log(file);
