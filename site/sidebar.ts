import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the pages of the site are. */
export const docs = fileURLToPath(new URL('../docs/', import.meta.url));

/** Pages that are made of files beside `docs/`. */
export const ROOT_PAGES: Readonly<Record<string, string>> = {
  'changelog.md': 'CHANGELOG.md',
  'security-policy.md': 'SECURITY.md',
};

const titleOf = (file: string): string =>
  /^# (.*)$/m
    .exec(readFileSync(join(docs, ROOT_PAGES[file] ? `../${ROOT_PAGES[file]}` : file), 'utf8'))?.[1]
    ?.replaceAll('`', '') ?? basename(file, '.md');

const group = (text: string, files: readonly string[], collapsed = false) => ({
  text,
  collapsed,
  items: files.map((file) => ({ text: titleOf(file), link: `/${file}` })),
});

const pages = (text: string, ...names: readonly string[]) =>
  group(
    text,
    names.map((name) => `${name}.md`),
  );

const folder = (text: string, name: string, collapsed = true) =>
  group(text, globSync(`${name}/*.md`, { cwd: docs }).toSorted(), collapsed);

/** The groups of pages beside each page, in the order in which people need them. */
export const listPages = () => [
  pages('Start', 'first-hour', 'install', 'configuration', 'upgrade', 'changelog', 'backup'),
  folder('Situations', 'situations', false),
  pages('Set up', 'compose', 'kubernetes', 'scale', 'soak', 'docker-engines', 'log-sources', 'rolling-upgrade'),
  pages(
    'Understand',
    'checks',
    'problems',
    'doctor',
    'exposure',
    'masternodes',
    'relayer',
    'parent-chain',
    'browser',
    'openssf',
  ),
  pages('Look up', 'known-failures', 'log-patterns', 'metrics', 'fault-matrix', 'performance'),
  pages('Operate', 'pages', 'alerts', 'alerting', 'notify', 'maintenance', 'dashboards'),
  pages('Platform API', 'platform-api', 'api-changes', 'portal', 'security', 'security-policy'),
  folder('Runbooks', 'alerts'),
  folder('Decisions', 'decisions'),
];
