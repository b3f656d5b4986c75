import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateSource } from 'oazapfts';
import { expect, it } from 'vitest';
import { operationsOf } from '../../../src/platform/api/operations.ts';
import { resources } from '../../../src/platform/api/resources.ts';
import { startApi } from '../../support/api.ts';
import { startDatabases } from '../../support/databases.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// What a user of the API would write against the generated client; checked by the compiler, then run.
const PROGRAM = `
import * as client from './client.ts';
const [, , url = '', key = ''] = process.argv;
client.defaults.baseUrl = url + '/api/v1';
client.defaults.fetch = (target, options) => fetch(\`\${target}\${String(target).includes('?') ? '&' : '?'}apiKey=\${key}\`, options);
const added = await client.addIndustry({ IndustryName: 'Typed', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 });
if (added.status !== 200) throw new Error('not added');
const id: number = added.data.data.IndustryID;
const listed = await client.listIndustries(id);
if (listed.status !== 200) throw new Error('not listed');
const name: string = listed.data.data.items[0]?.IndustryName ?? '';
const again = await client.addIndustry({ IndustryName: 'Typed', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 });
const code: number = again.status === 409 ? again.data.appErrorCode : 0;
const picture = new Blob([Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')]);
const uploaded = await client.addImage({ Image: picture });
if (uploaded.status !== 200) throw new Error('not uploaded');
const image: string = uploaded.data.data.ImagePath;
console.log(JSON.stringify({ image, id, name, code, operations: Object.keys(client) }));
`;

it('a typed client that is generated from the description compiles and works', async () => {
  const databases = await startDatabases('sqlite');
  const api = await startApi(await databases.create());
  // Below the project, so that the client finds its runtime.
  const folder = mkdtempSync(join(ROOT, 'test', '.client-'));
  try {
    const document = join(folder, 'openapi.json');
    writeFileSync(document, await (await fetch(`${api.url}/api/openapi.json`)).text());
    writeFileSync(join(folder, 'client.ts'), await generateSource(document, {} as never));
    writeFileSync(join(folder, 'use.ts'), PROGRAM);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { noUnusedLocals: false, verbatimModuleSyntax: false, lib: ['esnext', 'dom'] },
        include: ['*.ts'],
      }),
    );
    const node = join(ROOT, 'node_modules/.bin/node');
    const run = (words: readonly string[]) => {
      // The API answers from this process, so the compiler may wait for it but the client may not.
      return execFileSync(node, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    };
    run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    const { execFile } = await import('node:child_process');
    const printed = await new Promise<string>((resolve, reject) =>
      execFile(node, [join(folder, 'use.ts'), api.url, api.key], (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(stdout),
      ),
    );
    const result = JSON.parse(printed) as { readonly operations: readonly string[] };
    expect(result).toMatchObject({
      id: 1,
      name: 'Typed',
      code: 1012,
      image: expect.stringMatching(/^images\/\w{64}\.gif$/),
    });
    expect(result.operations).toEqual(expect.arrayContaining(operationsOf(resources).map(({ id }) => id)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await api.stop();
    await databases.stop();
  }
}, 60_000);
