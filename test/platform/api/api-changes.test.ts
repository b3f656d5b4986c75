import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { operationsOf } from '../../../src/platform/api/operations.ts';
import { resources } from '../../../src/platform/api/resources.ts';

const page = readFileSync(new URL('../../../docs/api-changes.md', import.meta.url), 'utf8');
const info = createOpenApi(resources).info as { readonly version: string; readonly description: string };
const operations = operationsOf(resources);

it('the description names the version of the specification, and where its changes are', () => {
  expect(info.version).toBe('1.0');
  expect(page).toContain(`The version of the API is that of its specification, ${info.version},`);
  expect(info.description).toContain('(/docs#versions)');
});

it('the changes of the API name each operation beyond the specification, and none that is not there', () => {
  const named = new Set([...page.matchAll(/`([a-z]+[A-Z]\w+)`/g)].map(([, id]) => id));
  const beyond = operations.filter((one) => one.kind === 'call' && !one.isSpecified).map(({ id }) => id);
  expect(beyond.filter((id) => !named.has(id))).toEqual([]);
  expect([...named].filter((id) => !operations.some((one) => one.id === id))).toEqual(['errMessage', 'appErrorCode']);
});

it('the changes of the API name each header that a request may send beyond the specification', () => {
  const text = JSON.stringify(createOpenApi(resources));
  const headers = new Set([...text.matchAll(/"name":"([\w-]+)","in":"header"/g)].map(([, name]) => name ?? ''));
  expect([...headers].filter((name) => name !== 'authorization' && !page.includes(`\`${name}\``))).toEqual([]);
});
