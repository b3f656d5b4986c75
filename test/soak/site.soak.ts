import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listPages } from '../../site/sidebar.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const site = fileURLToPath(new URL('../../site/', import.meta.url));
const { pathOf } = useCleanups();

test('the documentation is a site with a search, made and read without a network', () => {
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: site, stdio: 'pipe' });
  const out = pathOf('site');
  // A network of its own has no way out.
  const words = ['--net', 'npm', 'run', 'build', '--', '--outDir', out];
  const { status, stdout, stderr } = spawnSync('unshare', words, { cwd: site, encoding: 'utf8' });
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });

  const read = (file: string) => readFileSync(join(out, file), 'utf8');
  const pages = listPages().flatMap(({ items }) => items.map(({ link }) => link.slice(1).replace(/\.md$/, '.html')));
  expect(globSync('**/*.html', { cwd: out }).toSorted()).toEqual(['404.html', 'index.html', ...pages].toSorted());
  for (const page of pages) {
    expect(read('first-hour.html'), page).toContain(`href="/${page}"`);
    expect(read(page), page).not.toMatch(/<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\//);
  }
  expect(read('upgrade.html')).toMatch(/<a href="\/changelog\.html"[^>]*>changelog<\/a>/);
  const files = globSync('**/*.html', { cwd: out });
  const parts = new Map(
    files.map((file) => [file, new Set([...read(file).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  for (const file of files)
    for (const [, href = ''] of read(file).matchAll(/<a [^>]*href="((?!\w+:)[^"#]*#[^"]+)"/g)) {
      const [path = '', part = ''] = href.split('#');
      const target = path === '' ? file : join('/', dirname(file), path).slice(1);
      expect([...(parts.get(path.startsWith('/') ? path.slice(1) : target) ?? [])], `${file}: ${href}`).toContain(
        decodeURIComponent(part),
      );
    }
  const [index = ''] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: out });
  expect(read(index)).toContain('["acknowledged",');
  expect(read('index.html')).toContain('VPNavBarSearch');
}, 900_000);
