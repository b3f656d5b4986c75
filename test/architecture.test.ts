import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const files = globSync('src/**/*.ts', { cwd: root }).sort();

/** What each room may import of the others, and of packages; its own files and Node's are always allowed. */
const RULES: Readonly<Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }>> = {
  model: { rooms: [], packages: [] },
  clients: { rooms: ['model'], packages: [] },
  rules: { rooms: ['model', 'clients'], packages: [] },
  net: { rooms: [], packages: ['undici'] },
  inventory: { rooms: ['model', 'clients', 'logs'], packages: ['js-yaml', 'yaml', 'zod', 'node-cron', 'pino'] },
  import: { rooms: ['model', 'clients'], packages: ['yaml'] },
  docker: { rooms: ['model', 'clients'], packages: ['dockerode', 'ssh2'] },
  probes: { rooms: ['model', 'clients', 'net', 'docker'], packages: ['playwright-core', 'viem'] },
  logs: { rooms: ['model', 'docker'], packages: ['re2js'] },
  diagnosis: { rooms: ['model', 'clients'], packages: [] },
  monitor: { rooms: ['model', 'docker', 'probes', 'logs', 'rules', 'diagnosis'], packages: ['node-cron'] },
  metrics: { rooms: ['model'], packages: ['prom-client'] },
  http: {
    rooms: ['model', 'pages'],
    packages: ['hono', 'yaml', 'zod', 'bcrypt'],
  },
  pages: { rooms: ['model', 'clients', 'alerts'], packages: ['hono', 'marked'] },
  history: { rooms: ['model'], packages: [] },
  incidents: { rooms: ['model', 'clients'], packages: ['pino'] },
  platform: {
    rooms: ['model'],
    packages: ['jose', '@node-rs/argon2', '@zxcvbn-ts/language-common', 'otpauth', 'pino', 'uqr', 'viem'],
  },
  portal: { rooms: ['model', 'pages', 'platform'], packages: ['hono'] },
  reference: { rooms: ['model', 'pages', 'platform'], packages: ['hono'] },
  mail: { rooms: ['model'], packages: ['nodemailer', 'hono', 'pino'] },
  db: { rooms: ['model'], packages: ['kysely', 'better-sqlite3', 'pg', 'pino', 'zod'] },
  alerts: { rooms: ['model'], packages: [] },
  notify: { rooms: ['model', 'net', 'alerts', 'mail'], packages: ['undici', 'pino'] },
  demo: { rooms: [], packages: ['viem', 'yaml'] },
  planned: { rooms: ['model'], packages: ['node-cron'] },
  fleet: { rooms: ['model'], packages: ['pino'] },
  limits: { rooms: ['model', 'http'], packages: ['pino'] },
  commands: {
    rooms: [
      'model',
      'clients',
      'inventory',
      'import',
      'logs',
      'rules',
      'monitor',
      'http',
      'alerts',
      'notify',
      'demo',
      'db',
      'platform',
      'planned',
      'limits',
      'app',
      'app-options',
      'log',
      'settings',
    ],
    packages: ['commander', 'yaml'],
  },
  app: {
    rooms: [
      'app-options',
      'model',
      'inventory',
      'probes',
      'monitor',
      'metrics',
      'http',
      'history',
      'incidents',
      'pages',
      'db',
      'mail',
      'platform',
      'portal',
      'reference',
      'notify',
      'planned',
      'fleet',
      'limits',
    ],
    packages: ['@hono/node-server'],
  },
  'app-options': { rooms: ['http', 'inventory', 'metrics', 'model', 'settings'], packages: ['pino'] },
  settings: { rooms: ['model', 'db', 'mail'], packages: [] },
  log: { rooms: ['model'], packages: ['pino'] },
  main: { rooms: ['commands'], packages: [] },
};

const roomOf = (file: string): string => /^src\/([^/.]+)/.exec(file)?.[1] ?? '';

/** The files and packages that a file imports, in any form. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export|} from) (?:[^';]*? from )?'([^']+)'|\bimport\('([^']+)'[,)]/gm)].map(
    ([, whole, lazy]) => whole ?? lazy ?? '',
  );
}
const toFile = (from: string, name: string): string => normalize(join(dirname(from), name));

/** The name of a package without what stands behind it. */
const toPackage = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

describe('the rooms', () => {
  it.each([...new Set(files.map(roomOf))])('%s imports only what its rule allows', (room) => {
    const rule = RULES[room];
    expect(rule, 'the room has no rule').toBeDefined();
    for (const file of files.filter((candidate) => roomOf(candidate) === room)) {
      for (const name of importsOf(file)) {
        if (name.startsWith('node:')) continue;
        if (name.startsWith('.'))
          expect([room, ...(rule?.rooms ?? [])], `${file} imports ${name}`).toContain(roomOf(toFile(file, name)));
        else expect(rule?.packages, `${file} imports ${name}`).toContain(toPackage(name));
      }
    }
  });

  it.each(Object.entries(RULES))('%s uses each permission that its rule gives', (room, rule) => {
    const own = files.filter((file) => roomOf(file) === room);
    const imports = own.flatMap((file) => importsOf(file).map((name) => [file, name] as const));
    const rooms = imports.filter(([, name]) => name.startsWith('.')).map(([file, name]) => roomOf(toFile(file, name)));
    const packages = imports.filter(([, name]) => !name.startsWith('.')).map(([, name]) => toPackage(name));
    expect(own, 'there is no such room').not.toEqual([]);
    expect(rule.rooms.filter((name) => !rooms.includes(name))).toEqual([]);
    expect(rule.packages.filter((name) => !packages.includes(name))).toEqual([]);
  });

  it('load of the push to Alertmanager only its start and the late rounds in a plain run', () => {
    const text = (file: string) => readFileSync(join(root, file), 'utf8');
    const loadedAtOnce = (file: string): readonly string[] =>
      [...text(file).matchAll(/^(?:import|export|} from) (?!type )(?:[^';]*? from )?'(\.[^']+)'/gm)].map(([, name]) =>
        toFile(file, name ?? ''),
      );
    const loaded = new Set(['src/app.ts', 'src/commands/run.ts']);
    for (const file of loaded) for (const next of loadedAtOnce(file)) loaded.add(next);
    expect([...loaded].filter((file) => /^src\/(alerts|notify)\//.test(file)).toSorted()).toEqual([
      'src/notify/create-late-rounds.ts',
      'src/notify/start-push.ts',
    ]);
  });

  it("are not imported by the dashboards, which import only Grafana's SDK and each other", () => {
    const boards = globSync('grafana/build/*.ts', { cwd: root });
    expect(boards.length).toBeGreaterThan(0);
    for (const file of boards) {
      expect(readFileSync(join(root, file), 'utf8').split('\n').length, file).toBeLessThanOrEqual(301);
      for (const name of importsOf(file))
        if (name.startsWith('.')) expect(dirname(toFile(file, name)), file).toBe('grafana/build');
        else expect(toPackage(name), file).toBe('@grafana/grafana-foundation-sdk');
    }
  });

  it('have no cycle between files', () => {
    const graph = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter((name) => name.startsWith('.'))
          .map((name) => toFile(file, name)),
      ]),
    );
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]) => {
      expect(path, `${[...path, file].join(' → ')}`).not.toContain(file);
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  it('leave five files at the top: the entry, the wiring and its options, the settings and the log', () => {
    expect(files.filter((file) => dirname(file) === 'src')).toEqual([
      'src/app-options.ts',
      'src/app.ts',
      'src/log.ts',
      'src/main.ts',
      'src/settings.ts',
    ]);
  });

  it('hold no file over 300 lines, no default export and no reading of the environment but one', () => {
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text.split('\n').length, file).toBeLessThanOrEqual(301);
      expect(text, file).not.toMatch(/^export default/m);
      if (file !== 'src/settings.ts') expect(text, file).not.toContain('process.env');
    }
  });

  // Measured in docs/decisions/0043-idle-memory.md.
  it('load the rules of languages, which take 8 MB, only for time zones, imports and the demo', () => {
    const usesRules = (file: string) =>
      /\bIntl\.|\.toLocale|\.localeCompare\(/.test(readFileSync(join(root, file), 'utf8'));
    expect(files.filter(usesRules)).toEqual([
      'src/demo/log-lines.ts',
      'src/import/import-deployment.ts',
      'src/inventory/schema.ts',
      'src/logs/match/read-line-time.ts',
    ]);
  });

  it('import every dependency of package.json', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const imported = new Set(files.flatMap(importsOf).map(toPackage));
    for (const name of Object.keys(dependencies)) expect([...imported], name).toContain(name);
  });
});
