import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What only a test that starts another program imports: a process, an engine, a database server or a browser. */
const STARTS_PROGRAMS = new Set(['node:child_process', 'dockerode', 'pg', 'playwright-core']);

/** Every test file, by whether it, or what it imports of `test/`, starts another program. Paths are from the root. */
export function findTests(root: string): { readonly unit: readonly string[]; readonly parts: readonly string[] } {
  const known = new Map<string, boolean>();
  const startsPrograms = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    known.set(file, false);
    const text = readFileSync(join(root, file), 'utf8');
    const names = [...text.matchAll(/^(?:import|export|} from) (?!type )(?:[^';]*? from )?'([^']+)'/gm)];
    const starts = names.some(([, name = '']) => {
      const target = normalize(join(dirname(file), name));
      return (
        STARTS_PROGRAMS.has(name) || (name.startsWith('.') && target.startsWith('test/') && startsPrograms(target))
      );
    });
    known.set(file, starts);
    return starts;
  };
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort();
  return { unit: files.filter((file) => !startsPrograms(file)), parts: files.filter(startsPrograms) };
}
