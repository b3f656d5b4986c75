import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { resources } from '../../../src/platform/api/resources.ts';

interface Content {
  readonly 'application/json': {
    readonly schema: { readonly examples?: readonly unknown[] };
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters: readonly { readonly name: string; readonly description?: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content | { readonly 'multipart/form-data': object } };
  readonly responses: Readonly<Record<string, { readonly content: Content; readonly headers?: object }>>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

const document = createOpenApi(resources) as unknown as Document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const find = (id: string) => operations.find(({ operationId }) => operationId === id);

const ajv = new Ajv2020({ strict: false, unicodeRegExp: true, validateFormats: false });
ajv.addSchema({ $id: 'api', components: document.components });

/** The examples of a body that its schema does not take, with why. */
function wrongExamples({ 'application/json': { schema, example, examples = {} } }: Content): readonly string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const validate = ajv.compile(JSON.parse(text));
  const given = [example, ...(schema.examples ?? []), ...Object.values(examples).map(({ value }) => value)];
  const all = given.filter((one) => one !== undefined);
  if (all.length === 0) return ['there is none'];
  return all.filter((one) => !validate(one)).map((one) => `${JSON.stringify(one)}: ${ajv.errorsText(validate.errors)}`);
}

describe('the description of the API', () => {
  it('says of each group, operation and parameter what it is', () => {
    expect(document.tags.filter(({ description = '' }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
    for (const { operationId, description, parameters } of operations) {
      expect(description, operationId).toMatch(/^[A-Z].*\.$/);
      for (const parameter of parameters) expect(parameter.description, parameter.name).toMatch(/\S/);
    }
    expect(JSON.stringify(document.tags)).not.toContain('undefined');
  });

  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s has an example of its request and of each answer, and each is one that its schema takes',
    (_, { requestBody, responses }) => {
      // A file has no example.
      const isJson = requestBody !== undefined && 'application/json' in requestBody.content;
      if (isJson) expect(wrongExamples(requestBody.content)).toEqual([]);
      for (const [status, { content }] of Object.entries(responses))
        if (status === '304') expect(content).toBeUndefined();
        else expect(wrongExamples(content), status).toEqual([]);
    },
  );

  it('names the headers of safe writes and of the limits, each where it counts', () => {
    const headers = (id: string) =>
      find(id)
        ?.parameters.filter((one) => one.in === 'header')
        .map(({ name }) => name);
    expect([headers('listSectors'), headers('addSector'), headers('updateSector')]).toEqual([
      ['If-None-Match'],
      ['Idempotency-Key'],
      ['If-Match'],
    ]);
    expect(find('listSectors')?.responses['200']?.headers).toHaveProperty('ETag');
    expect(find('addSector')?.responses['200']?.headers).toHaveProperty('Idempotent-Replayed');
    for (const { operationId, responses } of operations) {
      expect(responses['200']?.headers, operationId).toHaveProperty('RateLimit');
      expect(responses['400']?.headers, operationId).toHaveProperty('Retry-After');
    }
  });
});
