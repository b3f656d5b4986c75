import { html } from 'hono/html';
import type { Json } from './call.ts';
import { ERROR_CODES } from './error-codes.ts';

interface Property {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

interface OperationDoc {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly description: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ObjectSchema }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const bounds = ({ minLength = 0, maxLength, minimum, maximum }: Property): string =>
  maxLength !== undefined
    ? `${minLength} to ${maxLength} characters`
    : maximum !== undefined
      ? `${minimum} to ${maximum}`
      : '';

function exampleOf({ properties, required }: ObjectSchema): string {
  const members = required.map((name) => [name, properties[name]?.examples?.[0] ?? 1]);
  return JSON.stringify(Object.fromEntries(members), null, 2);
}

const bodyOf = (schema: ObjectSchema) => html`
    <table>
      <thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Bounds</th><th scope="col">Required</th></tr></thead>
      <tbody>${Object.entries(schema.properties).map(
        ([name, property]) => html`
        <tr><td><code>${name}</code></td><td>${String(property.type ?? 'boolean')}</td><td>${bounds(property)} ${property.description ?? ''}</td>
        <td>${schema.required.includes(name) ? 'yes' : 'no'}</td></tr>`,
      )}</tbody>
    </table>
    ${schema.required.length > 0 ? html`<pre>${exampleOf(schema)}</pre>` : ''}`;

const operationOf = (path: string, method: string, operation: OperationDoc) => {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return html`
    <h3 id="${operation.operationId}">${operation.summary}</h3>
    <p><code>${method.toUpperCase()} /api${path}</code></p>
    <ul>${operation.parameters.map((parameter) => html`<li><code>${parameter.name}</code> (${parameter.in}): ${parameter.description}</li>`)}</ul>
    ${schema === undefined ? '' : bodyOf(schema)}
    <ul>${Object.entries(operation.responses).map(([status, { description }]) => html`<li>HTTP ${status}. ${description}</li>`)}</ul>`;
};

/** The reference page of the API: one HTML text without scripts or other hosts, only with this host's style sheet. */
export const docsPage = (document: Json): string => {
  const paths = Object.entries(document.paths as Readonly<Record<string, Readonly<Record<string, OperationDoc>>>>);
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return String(html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>subnetd platform API</title><link rel="stylesheet" href="/style.css"></head>
  <body>
    <h1>subnetd platform API</h1>
    <p>Each path exists below <code>/api</code> and below <code>/api/v1</code>, which are the same. For programs:
      <a href="/api/openapi.json">/api/openapi.json</a>, OpenAPI 3.1.</p>
    <p>Send an API key (<code>apiKey</code>) or a token (<code>token</code>) as a member of the JSON body or in the query, or a token
      in the <code>authorization</code> header, alone or after <code>Bearer</code>.</p>
    <p>A success is <code>{"status": "success", "data": {…}}</code>, a failure
      <code>{"status": "failed", "appErrorCode": 1001, "errMessage": "…"}</code>.</p>
    <ul>${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}<li><a href="#codes">Codes</a></li></ul>
    <h2>Operations</h2>${operations.map(({ path, method, operation }) => operationOf(path, method, operation))}
    <h2 id="codes">Codes</h2>
    <table>
      <thead><tr><th scope="col">appErrorCode</th><th scope="col">HTTP</th><th scope="col">Meaning</th></tr></thead>
      <tbody>${Object.entries(ERROR_CODES).map(([code, [status, meaning]]) => html`<tr><td>${code}</td><td>${status}</td><td>${meaning}</td></tr>`)}</tbody>
    </table>
  </body>
</html>
`);
};
