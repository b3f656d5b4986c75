import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { generated } from '../scripts/generate.ts';
import { FAULT_NAMES } from '../src/demo/faults.ts';
import { parseInventory } from '../src/watch/inventory/parse-inventory.ts';
import { checkTable } from '../src/watch/rules/checks.ts';
import { runCommand } from './support/run-command.ts';

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  ...globSync('docs/**/*.md', { cwd: root }),
];

describe('the documentation', () => {
  it('holds what npm run generate makes of the code', async () => {
    for (const [file, text] of Object.entries(await generated())) expect(read(file), file).toBe(text);
  });

  it('says of every setting what it takes, never just that it is an object', () => {
    const rows = [...read('docs/configuration.md').matchAll(/^\| `(\w[^`]*)` \| (.*?) \| .* \|$/gm)];
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter(([, , type]) => /\bobject\b/.test(type ?? '')).map(([, setting]) => setting)).toEqual([]);
    expect(rows).toContainEqual(
      expect.arrayContaining(['subnets[].nodes[].container', '`{ project, service, engine? }` or `{ name, engine? }`']),
    );
  });

  it('has a section for each check, and names each fault of the demo', () => {
    const page = read('docs/checks.md');
    for (const name of Object.keys(checkTable)) expect(page).toContain(`\n## ${name}\n`);
    for (const fault of FAULT_NAMES) expect(page).toContain(fault);
  });

  it('names every environment variable that is read, and none besides', () => {
    const named = (text: string) =>
      new Set(text.match(/SUBNETD_[A-Z_]+[A-Z]/g)?.filter((name) => !name.endsWith('_FILE')));
    const code = named(globSync('src/**/*.ts', { cwd: root }).map(read).join());
    expect([...named(read('docs/configuration.md'))].sort()).toEqual([...code].sort());
  });

  it.each(globSync('config/*.yaml.example', { cwd: root }))(
    '%s is a good inventory and names its schema in the first line',
    (file) => {
      const text = read(file);
      expect(text.split('\n')[0]).toMatch(/^# yaml-language-server: \$schema=\S*inventory\.schema\.json$/);
      const parsed = parseInventory(text, {});
      expect(parsed.ok ? [] : parsed.errors).toEqual([]);
    },
  );

  it.each(pages)('%s shows only inventories that are good, and no link that leads nowhere', (file) => {
    const text = read(file);
    for (const [, block = ''] of text.matchAll(/```yaml.*\n([\s\S]*?)```/g)) {
      if (parseAllDocuments(block).length !== 1 || parse(block)?.subnets === undefined) continue;
      const parsed = parseInventory(block, { RPC_PASSWORD: 'a', HOOK_TOKEN: 'b' });
      expect(parsed.ok ? [] : parsed.errors, block).toEqual([]);
    }
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)[^)]*\)/g))
      if (!/^https?:/.test(link))
        expect(
          () => read(new URL(link, new URL(file, root)).href.slice(root.href.length)),
          `${file}: ${link}`,
        ).not.toThrow();
  });

  it.each(pages)('%s links only to headings that exist', (file) => {
    for (const [, link = '', heading = ''] of read(file).matchAll(/\]\(((?!https?:)[^)#]*)#([^)]+)\)/g)) {
      const target = link === '' ? file : new URL(link, new URL(file, root)).href.slice(root.href.length);
      const headings = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
      );
      expect(headings, `${file}: ${link}#${heading}`).toContain(heading);
    }
  });

  it.each(pages)('%s names only files of the source that exist', (file) => {
    const named = read(file).matchAll(/`((?:src|test|scripts|bench|grafana|deploy)\/[\w./*-]+)`/g);
    for (const [, path = ''] of named) expect(globSync(path, { cwd: root }), `${file}: ${path}`).not.toEqual([]);
  });

  it.each(pages)('%s has commands that a shell takes, and the port at which subnetd listens', (file) => {
    const text = read(file);
    for (const [, block = ''] of text.matchAll(/```sh\n([\s\S]*?)```/g)) expect(block).not.toMatch(/<\w+ \w+>/);
    for (const [address, port] of text.matchAll(/\b(?:monitor|subnetd[\w.-]*|127\.0\.0\.1):(9\d{3})\b(?!:)/g))
      expect(['9090', '9093', '9099'], `${file}: ${address}`).toContain(port);
  });

  it('lists in CONTRIBUTING every room of src, and none besides', () => {
    const listed = [...read('CONTRIBUTING.md').matchAll(/^\| `src\/([\w/]+)\/` \|/gm)].map(([, room = '']) => room);
    const folders = globSync(['src/*/', 'src/{watch,tell,platform}/*/'], { cwd: root });
    const rooms = folders.map((folder) => folder.slice('src/'.length).replace(/\/$/, ''));
    expect(listed.filter((room) => rooms.includes(room)).toSorted()).toEqual(rooms.toSorted());
    for (const room of listed) expect(globSync(`src/${room}/`, { cwd: root }), room).not.toEqual([]);
  });

  it('lists in the README every command that there is', async () => {
    const { stdout } = await runCommand(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThan(4);
    for (const command of commands) expect(read('README.md')).toContain(`subnetd ${command}`);
  });
});
