import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What only a test that starts another program imports: a process, an engine, a database server or a browser. */
const STARTS_PROGRAMS = new Set(['node:child_process', 'dockerode', 'pg', 'playwright-core']);

/** What replaces the timers of a process, or measures its memory, its time or what it holds. */
const NEEDS_PROCESS = /useFakeTimers|memoryUsage|cpuUsage|getActiveResourcesInfo/;

/** Test files, by their paths from the root. */
export interface Tests {
  /** Neither the file, nor what it imports of `test/`, starts another program. */
  readonly unit: readonly string[];
  readonly parts: readonly string[];
  /** Those of both that leave their process as it was and do not measure it, so it can take more files. */
  readonly sharing: readonly string[];
}

/** Finds every test file. */
export function findTests(root: string): Tests {
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
  const unit = files.filter((file) => !startsPrograms(file));
  const sharing = files.filter((file) => !NEEDS_PROCESS.test(readFileSync(join(root, file), 'utf8')));
  return { unit, parts: files.filter(startsPrograms), sharing };
}
