import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const files = globSync('src/**/*.ts', { cwd: root }).sort();

/** The rooms, in the order of the flow. */
const FLOW = ['lib', 'model', 'watch', 'tell', 'platform', 'store', 'web', 'fleet', 'demo', 'daemon', 'cli', 'main'];

/** What each room may import of the others, and of packages; its own files and Node's are always allowed. */
const RULES: Readonly<Record<string, { readonly rooms: readonly string[]; readonly packages: readonly string[] }>> = {
  lib: { rooms: [], packages: [] },
  'lib/net': { rooms: [], packages: ['undici'] },
  'lib/mail': { rooms: ['lib'], packages: ['nodemailer'] },
  model: { rooms: ['lib'], packages: [] },
  'watch/inventory': {
    rooms: ['lib', 'model', 'watch/clients', 'watch/logs'],
    packages: ['node-cron', 'pino', 'yaml', 'zod'],
  },
  'watch/import': { rooms: ['lib', 'model', 'watch/clients'], packages: ['yaml'] },
  'watch/clients': { rooms: ['lib', 'model'], packages: [] },
  'watch/docker': { rooms: ['lib', 'model', 'watch/clients'], packages: ['dockerode', 'ssh2'] },
  'watch/probes': {
    rooms: ['lib', 'lib/net', 'model', 'watch/clients', 'watch/docker', 'watch/import'],
    packages: ['playwright-core', 'viem'],
  },
  'watch/logs': { rooms: ['lib', 'model', 'watch/docker'], packages: ['re2js'] },
  'watch/rules': { rooms: ['lib', 'model', 'watch/clients', 'watch/logs'], packages: [] },
  'watch/diagnosis': { rooms: ['lib', 'model', 'watch/clients', 'watch/logs', 'watch/rules'], packages: [] },
  'watch/monitor': {
    rooms: ['lib', 'model', 'watch/docker', 'watch/probes', 'watch/logs', 'watch/rules', 'watch/diagnosis'],
    packages: ['node-cron'],
  },
  'watch/planned': { rooms: ['lib', 'model'], packages: ['node-cron'] },
  'tell/metrics': { rooms: ['lib', 'model'], packages: ['prom-client'] },
  'tell/alerts': { rooms: ['lib', 'model'], packages: [] },
  'tell/incidents': { rooms: ['lib', 'model', 'watch/clients', 'tell/alerts'], packages: ['pino'] },
  'tell/history': { rooms: ['lib', 'model', 'watch/clients'], packages: [] },
  'tell/notify': { rooms: ['lib', 'lib/net', 'lib/mail', 'model', 'tell/alerts'], packages: ['pino'] },
  'platform/model': { rooms: ['lib/mail', 'model'], packages: [] },
  'platform/api': {
    rooms: ['lib', 'lib/mail', 'model', 'platform/model'],
    packages: ['@node-rs/argon2', '@zxcvbn-ts/language-common', 'file-type', 'jose', 'otpauth', 'pino', 'uqr', 'viem'],
  },
  'platform/portal': {
    rooms: ['lib', 'model', 'platform/model', 'platform/api', 'web/frame'],
    packages: ['hono', 'papaparse'],
  },
  'platform/reference': { rooms: ['lib', 'platform/api', 'web/frame'], packages: ['hono'] },
  'platform/mail': { rooms: ['lib', 'lib/mail', 'platform/model'], packages: ['hono', 'pino'] },
  store: {
    rooms: ['lib', 'model', 'tell/alerts', 'tell/notify', 'platform/model'],
    packages: ['better-sqlite3', 'pg', 'pino', 'zod'],
  },
  'web/frame': { rooms: ['lib', 'model'], packages: ['hono'] },
  'web/pages': { rooms: ['lib', 'model', 'watch/clients', 'tell/alerts', 'web/frame'], packages: ['hono', 'marked'] },
  web: {
    rooms: ['lib', 'model', 'watch/clients', 'tell/metrics', 'web/pages'],
    packages: ['bcrypt', 'hono', 'yaml', 'zod'],
  },
  fleet: { rooms: ['lib', 'model'], packages: ['pino'] },
  demo: { rooms: [], packages: ['viem', 'yaml'] },
  'daemon/limits': { rooms: ['model', 'watch/clients', 'web'], packages: ['pino'] },
  daemon: {
    rooms: [
      'lib',
      'lib/mail',
      'model',
      'watch/inventory',
      'watch/probes',
      'watch/monitor',
      'watch/planned',
      'tell/metrics',
      'tell/incidents',
      'tell/history',
      'tell/notify',
      'platform/api',
      'platform/portal',
      'platform/reference',
      'platform/mail',
      'store',
      'web/pages',
      'web',
      'fleet',
      'daemon/limits',
    ],
    packages: ['@hono/node-server', 'pino'],
  },
  cli: {
    rooms: [
      'lib',
      'model',
      'watch/inventory',
      'watch/import',
      'watch/clients',
      'watch/logs',
      'watch/rules',
      'watch/monitor',
      'watch/planned',
      'tell/alerts',
      'tell/history',
      'tell/notify',
      'platform/model',
      'platform/api',
      'store',
      'web',
      'web/pages',
      'demo',
      'daemon/limits',
      'daemon',
    ],
    packages: ['@modelcontextprotocol/server', 'commander', 'viem', 'yaml', 'zod'],
  },
  main: { rooms: ['cli'], packages: [] },
};

const NAMES = Object.keys(RULES).toSorted((one, other) => other.length - one.length);

/** The room of a file; of rooms within each other, the inner one. */
const roomOf = (file: string): string =>
  NAMES.find((name) => file.startsWith(`src/${name}/`) || file === `src/${name}.ts`) ?? dirname(file);

const outerOf = (room: string): string => room.replace(/\/.*/, '');

/** The files and packages that a file imports, in any form. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export|} from) (?:[^';]*? from )?'([^']+)'|\b(?:import|require)\('([^']+)'[,)]/gm),
  ].map(([, whole, lazy]) => whole ?? lazy ?? '');
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

  it('import only what stands before them in the flow, and the platform nothing of what watches', () => {
    for (const [room, { rooms }] of Object.entries(RULES)) {
      const own = outerOf(room);
      expect(FLOW, room).toContain(own);
      // The pages of the platform have the frame of all pages.
      const outer = rooms.filter((name) => name !== 'web/frame').map(outerOf);
      const later = outer.filter((name) => FLOW.indexOf(name) > FLOW.indexOf(own));
      expect(later, room).toEqual([]);
      if (own === 'platform') expect(outer, room).not.toContain('watch');
    }
  });

  it('answer calls of the platform by services that know no request of HTTP', () => {
    const services = files.filter((file) =>
      /^src\/platform\/(?:api\/(?:accounts|calls)\/|api\/(?:actor|call|check-\w+|manage-keys|sign-in|write-record)\.ts$)/.test(
        file,
      ),
    );
    expect(services.length).toBeGreaterThan(20);
    for (const file of services) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text, file).not.toMatch(
        /request-context|new (?:Request|Response|Headers)\b|: (?:Request|Response|Headers)\b/,
      );
    }
  });

  it('load of the push to Alertmanager only its start and the types of alerts in a plain run', () => {
    const text = (file: string) => readFileSync(join(root, file), 'utf8');
    const loadedAtOnce = (file: string): readonly string[] =>
      [...text(file).matchAll(/^(?:import|export|} from) (?!type )(?:[^';]*? from )?'(\.[^']+)'/gm)].map(([, name]) =>
        toFile(file, name ?? ''),
      );
    const loaded = new Set(['src/daemon/app.ts', 'src/cli/run.ts']);
    for (const file of loaded) for (const next of loadedAtOnce(file)) loaded.add(next);
    expect([...loaded].filter((file) => /^src\/tell\/(alerts|notify)\//.test(file)).toSorted()).toEqual([
      'src/tell/alerts/tracked-alert.ts',
      'src/tell/notify/start-heartbeats.ts',
      'src/tell/notify/start-push.ts',
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

  it('leave one file at the top: the entry', () => {
    expect(files.filter((file) => dirname(file) === 'src')).toEqual(['src/main.ts']);
  });

  it('hold no file over 400 lines, no default export and no reading of the environment but one', () => {
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text.split('\n').length, file).toBeLessThanOrEqual(401);
      expect(text, file).not.toMatch(/^export default/m);
      if (file !== 'src/daemon/settings.ts') expect(text, file).not.toContain('process.env');
    }
  });

  // Measured in docs/decisions/0043-idle-memory.md.
  it('load the rules of languages, which take 8 MB, only for time zones, imports and the demo', () => {
    const usesRules = (file: string) =>
      /\bIntl\.|\.toLocale|\.localeCompare\(/.test(readFileSync(join(root, file), 'utf8'));
    expect(files.filter(usesRules)).toEqual([
      'src/demo/log-lines.ts',
      'src/watch/import/import-deployment.ts',
      'src/watch/inventory/schema.ts',
      'src/watch/logs/match/read-line-time.ts',
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
