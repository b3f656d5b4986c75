type Names = Readonly<Record<string, string>>;

/** A package of package-lock.json. */
export interface LockedPackage {
  readonly version?: string;
  readonly optional?: boolean;
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
}

/** The packages of a lockfile, by the folder that each is installed in. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The folder of the package that `from` gets when it imports `name`, as Node.js looks for it: the nearest one. */
function findFolder(packages: LockedPackages, from: string, name: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[path] !== undefined) return path;
  if (from === '') return undefined;
  return findFolder(packages, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name);
}

/** Those packages that these names at the root need, and themselves. */
export function keepReachable(packages: LockedPackages, names: readonly string[]): LockedPackages {
  const found = new Set<string>();
  const add = (from: string, needed: readonly string[]): void => {
    for (const name of needed) {
      const folder = findFolder(packages, from, name);
      if (folder === undefined || found.has(folder)) continue;
      found.add(folder);
      add(folder, Object.keys({ ...packages[folder]?.dependencies, ...packages[folder]?.optionalDependencies }));
    }
  };
  add('', names);
  return Object.fromEntries(Object.entries(packages).filter(([folder]) => found.has(folder)));
}
