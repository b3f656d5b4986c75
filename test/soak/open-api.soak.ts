import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationsOf } from '../../src/platform/api/operations.ts';
import { resources } from '../../src/platform/api/resources.ts';
import { type Api, ROOT_PASSWORD, startApi } from '../support/api.ts';

const WITHIN_MS = 600_000;
const LINTERS = ['@redocly/cli@2.77.0', '@stoplight/spectral-cli@6.16.3'];
const PYTHON = ['schemathesis==4.32.5', 'openapi-python-client==0.29.1'];

let folder: string;
let api: Api;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'open-api-'));
  api = await startApi({ kind: 'sqlite', path: join(folder, 'subnetd.db') });
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${api.url}/api/openapi.json`)).text());
  execFileSync('python3', ['-m', 'venv', join(folder, 'venv')]);
  execFileSync(python('pip'), ['install', '--quiet', ...PYTHON]);
}, WITHIN_MS);
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A program of the virtual environment. */
const python = (name: string) => join(folder, 'venv/bin', name);

/** Runs a program to its end without blocking the API, which answers from this process. */
const run = (command: string, words: readonly string[]) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', NO_COLOR: '1' };
    const child = spawn(command, words, { cwd: folder, env, timeout: WITHIN_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });

describe('the description of the API', () => {
  it('passes the strict rules of Redocly and those of Spectral without a warning', async () => {
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', ...LINTERS]);
    const redocly = join(folder, 'node_modules/.bin/redocly');
    const strict = await run(redocly, ['lint', 'openapi.json', '--extends', 'recommended-strict']);
    expect(strict, strict.output).toMatchObject({ code: 0 });
    writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const spectral = join(folder, 'node_modules/.bin/spectral');
    const linted = await run(spectral, ['lint', 'openapi.json', '--fail-severity', 'hint']);
    expect(linted, linted.output).toMatchObject({ code: 0 });
  });

  it('holds for what schemathesis sends', async () => {
    const { key } = await api.makeKey('write admin');
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: key })).data;
    writeFileSync(join(folder, 'simple.json'), JSON.stringify(simplify(await readDocument())));
    // The statuses of refusals are the specification's: 400 for a wrong key, and for a wrong method instead of 405.
    writeFileSync(
      join(folder, 'schemathesis.toml'),
      `[auth.openapi.bearer]
bearer = "${token}"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 403, 404, 409]
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 409]
`,
    );
    // Without a mail server, what mails something answers 500, which is its code.
    const mails = ['ForgotPassword', 'Invite', 'SendActivation', 'TestMail'];
    const tested = await run(python('schemathesis'), [
      ...['run', 'simple.json', '--url', `${api.url}/api/v1`, '--max-examples', '10', '--checks', 'all'],
      ...['--exclude-checks', 'unsupported_method', '--phases', 'examples,coverage,fuzzing'],
      ...mails.flatMap((name) => ['--exclude-path', `/Account/${name}`]),
    ]);
    expect(tested.code, tested.output.slice(-20_000)).toBe(0);
  });

  it('gives a client in Python every operation, and the client lives a whole life', async () => {
    const words = ['generate', '--path', 'openapi.json', '--output-path', 'subnetd_client', '--meta', 'none'];
    const generated = await run(python('openapi-python-client'), words);
    expect(generated, generated.output).toMatchObject({ code: 0 });
    expect(generated.output).not.toMatch(/WARNING|Unable to/);
    const modules = globSync('subnetd_client/api/*/*.py', { cwd: folder }).filter(
      (path) => !path.endsWith('__init__.py'),
    );
    expect(modules).toHaveLength(operationsOf(resources).length);
    const life = fileURLToPath(new URL('python-client.py', import.meta.url));
    const lived = await run('env', [
      `PYTHONPATH=${folder}`,
      python('python'),
      life,
      `${api.url}/api/v1`,
      ROOT_PASSWORD,
    ]);
    expect(lived.code, lived.output).toBe(0);
    expect(JSON.parse(lived.output)).toEqual({
      ...{ deleted: [true, true, true, true], paged: [0, 1, 2, 3, 4].map((place) => `Page ${place}`), total: 5 },
      ...{ again: 304, read: 1, states: ['expired', 'revoked'], audited: 7, codes: [1012, 1104, 1101] },
    });
  });
});

const readDocument = async (): Promise<unknown> => (await fetch(`${api.url}/api/openapi.json`)).json();

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document with the token as its only credential, and without headers: the unknown ones that schemathesis sends are not an error. */
function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => !(isRecord(one) && one.in === 'header')).map(simplify);
  if (!isRecord(value)) return value;
  const simple = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, simplify(one)]));
  const { properties, security, securitySchemes } = simple;
  if (isRecord(properties) && 'apiKey' in properties && 'token' in properties) {
    delete properties.apiKey;
    delete properties.token;
  }
  if (Array.isArray(security))
    simple.security = security.some((one) => isRecord(one) && 'bearer' in one) ? [{ bearer: [] }] : [];
  if (isRecord(securitySchemes)) simple.securitySchemes = { bearer: securitySchemes.bearer };
  return simple;
}
