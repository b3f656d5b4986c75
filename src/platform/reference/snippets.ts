import { exampleOf, type SchemaShapes } from '../api/example-of.ts';
import type { Field, OperationEntry } from './read-operations.ts';

/** The body of an example request: what is required, and else everything. */
export function exampleBody(fields: readonly Field[], schemas: SchemaShapes): Readonly<Record<string, unknown>> {
  const required = fields.filter(({ isRequired }) => isRequired);
  const sent = required.length > 0 ? required : fields;
  return Object.fromEntries(sent.map(({ name, schema }) => [name, exampleOf(schema, schemas)]));
}

/** A quote for a shell, in which nothing is special. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The path of an example request. A list starts at 0, which is all of it. */
const examplePath = ({ path, parameters }: OperationEntry, schemas: SchemaShapes): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = parameters.find((one) => one.name === name && one.place === 'path');
    return encodeURIComponent(String(field === undefined ? name : exampleOf(field.schema, schemas)));
  });

/** A command with `$URL` and `$TOKEN` that runs the operation by curl. */
export function curlOf(operation: OperationEntry, schemas: SchemaShapes): string {
  const { method, body, isForm, isOpen } = operation;
  const json = body && [
    `-H 'content-type: application/json'`,
    `-d ${quote(JSON.stringify(exampleBody(body, schemas)))}`,
  ];
  const form = body?.map(({ name }) => `-F ${name}=@picture.png`);
  const lines = [
    ...(method === 'GET' || method === 'POST' ? [] : [`-X ${method}`]),
    ...(isOpen ? [] : ['-H "authorization: Bearer $TOKEN"']),
    ...((isForm ? form : json) ?? []),
    `"$URL/api/v1${examplePath(operation, schemas)}"`,
  ];
  return `curl -s ${lines.join(' \\\n  ')}`;
}

/** The same as TypeScript with the variables `url` and `token`, and `file` for one, for a browser, Node.js, Deno or Bun. */
export function typeScriptOf(operation: OperationEntry, schemas: SchemaShapes): string {
  const { method, body, isForm, isOpen } = operation;
  const headers = [
    ...(isOpen ? [] : ['authorization: `Bearer ${token}`']),
    ...(body === undefined || isForm ? [] : ["'content-type': 'application/json'"]),
  ];
  const form = isForm ? (body ?? []).map(({ name }) => `form.set('${name}', file);`) : [];
  const json = body && JSON.stringify(exampleBody(body, schemas), null, 2).replaceAll('\n', '\n  ');
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(json === undefined ? [] : [isForm ? 'body: form,' : `body: JSON.stringify(${json}),`]),
  ];
  return [
    ...(isForm ? ['const form = new FormData();', ...form] : []),
    `const response = await fetch(\`\${url}/api/v1${examplePath(operation, schemas)}\`, {`,
    ...options.map((one) => `  ${one}`),
    '});',
    'const answer = await response.json();',
    "if (answer.status === 'failed') throw new Error(`${answer.appErrorCode}: ${answer.errMessage}`);",
    'console.log(answer.data);',
  ].join('\n');
}
