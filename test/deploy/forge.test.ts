import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(root + file, 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: root });

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

describe('the workflows of a public forge', () => {
  it.each(workflows)('%s may only read by default, and takes actions by the hash of a commit', (file) => {
    const { permissions, jobs }: { permissions: object; jobs: Record<string, Job> } = parse(read(file));
    expect(permissions).toEqual({ contents: 'read' });
    for (const line of read(file).match(/uses: .*/g) ?? [])
      expect(line).toMatch(/^uses: (?:\.\/\.github\/workflows\/\w+\.yml|[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    for (const { uses, steps = [] } of Object.values(jobs)) {
      if (uses?.startsWith('./')) expect(existsSync(root + uses), uses).toBe(true);
      const scripts = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run (\S+)/g)].map(([, name]) => name));
      for (const name of scripts) expect(Object.keys(JSON.parse(read('package.json')).scripts)).toContain(name);
    }
  });

  it('run what every change must pass, by the Node.js of the project', () => {
    expect(workflows.length).toBe(2);
    const { node } = JSON.parse(read('package.json')).devDependencies;
    const check = parse(read('.github/workflows/check.yml')).jobs.check;
    expect(check.steps.at(-1)).toEqual({ run: '.ci/run' });
    expect(check.container.image).toBe(`node:${node}-bookworm`);
    expect(read('.github/workflows/release.yml')).toContain(`node-version: ${node}\n`);
    expect(read('Dockerfile')).toContain(`FROM node:${node}-bookworm-slim AS build\n`);
  });
});

describe('the answers to OpenSSF', () => {
  it('are given once for each criterion of the passing level', () => {
    const rows = [...read('docs/openssf.md').matchAll(/^\| ([a-z_0-9, ]+) \| (\S.*?) \|/gm)];
    const names = rows.flatMap(([, row = '']) => (row === 'criterion' ? [] : row.split(', ')));
    expect(names.length).toBe(67);
    expect(new Set(names).size).toBe(67);
    for (const [, row = '', answer] of rows.filter(([, one]) => one !== 'criterion'))
      expect(answer, row).toMatch(/^(?:met|in part|not applicable|host)\b/);
  });
});
