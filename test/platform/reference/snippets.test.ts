import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import type { SchemaShapes } from '../../../src/platform/api/example-of.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { type OperationEntry, readOperations } from '../../../src/platform/reference/read-operations.ts';
import { curlOf, typeScriptOf } from '../../../src/platform/reference/snippets.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const document = createOpenApi(resources);
const { schemas } = document.components as { readonly schemas: SchemaShapes };
const operations = readOperations(document);
const specified = operations.filter(({ isBeyond, tag }) => !isBeyond && tag !== 'Auth');
const run = promisify(execFile);

const api = useApi(useDatabases('sqlite'));

/** The beginning of an image, in the file that the examples name. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const folder = temporaryFolder();
writeFileSync(folder.path('picture.png'), PICTURE);
afterAll(folder.remove);

const getToken = async () => (await api.send('POST', '/api/Auth/Token')).data.token;

const runCurl = async (operation: OperationEntry, token: string): Promise<Readonly<Record<string, unknown>>> => {
  const env = { ...process.env, URL: api.url, TOKEN: token };
  return JSON.parse((await run('sh', ['-c', curlOf(operation, schemas)], { env, cwd: folder.path('.') })).stdout);
};

/** What the code prints, or the message of its error. */
async function runTypeScript(operation: OperationEntry, token: string): Promise<unknown> {
  const printed: unknown[] = [];
  const code = stripTypeScriptTypes(`async () => {${typeScriptOf(operation, schemas)}}`);
  const made = new Function('url', 'token', 'console', 'file', `return ${code}`);
  const log = (data: unknown) => printed.push(data);
  const failed = await made(api.url, token, { log }, new File([PICTURE], 'picture.png'))().catch(String);
  return failed ?? printed[0];
}

test('the examples of the specification run by curl, each record before what names it', async () => {
  const token = await getToken();
  const ordered = [...specified].sort(
    (one, other) => Number(other.tag === 'Industry') - Number(one.tag === 'Industry'),
  );
  for (const operation of ordered) {
    const answer = await runCurl(operation, token);
    expect(answer.status, `${operation.id}: ${JSON.stringify(answer)}`).toBe('success');
  }
  // And as TypeScript, where each add meets the record that curl has added.
  for (const operation of ordered) {
    const printed = await runTypeScript(operation, token);
    if (operation.id.startsWith('add')) expect(printed, operation.id).toMatch(/^Error: (1012|1103): /);
    else
      expect(printed, operation.id).toMatchObject(
        operation.id.startsWith('list') ? { items: expect.any(Array) } : { result: 'success' },
      );
  }
});

test.each(operations.filter((operation) => !specified.includes(operation)))(
  'the example of $id answers a success or one of its codes',
  async (operation) => {
    const answer = await runCurl(operation, await getToken());
    if (answer.status !== 'success') expect(operation.codes).toContain(answer.appErrorCode);
  },
);

test('the example with a file sends it, by curl and as TypeScript', async () => {
  const [upload] = operations.filter(({ isForm }) => isForm);
  if (upload === undefined) throw new Error('no operation takes a file');
  const token = await getToken();
  const data = { result: 'success', ImagePath: expect.stringMatching(/^images\/\w{64}\.gif$/) };
  expect(await runCurl(upload, token)).toEqual({ status: 'success', data });
  expect(await runTypeScript(upload, token)).toEqual(data);
});
