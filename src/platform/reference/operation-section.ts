import { html } from 'hono/html';
import type { Html } from '../../web/frame/marks.ts';
import { ERROR_CODES, type ErrorCode } from '../api/error-codes.ts';
import { exampleOf, type SchemaShapes } from '../api/example-of.ts';
import { CODE_NOTES } from './code-notes.ts';
import type { Field, OperationEntry } from './read-operations.ts';
import { curlOf, typeScriptOf } from './snippets.ts';
import { codePath, meaningOf, rulesOf, titleOfTag, typeOf } from './words.ts';

const beyond = html`<span class="mark" title="The specification does not have it">Beyond the specification</span>`;

/** The method, in a colour of its own, which says the same as its word. */
export const methodBadge = (method: string): Html => html`<b class="method ${method.toLowerCase()}">${method}</b>`;

const PLACES = { path: 'in the path', query: 'in the query', header: 'as a header', body: 'in the body' } as const;

const fieldRow = ({ name, place, isRequired, isBeyond, schema }: Field): Html => html`
<tr role="row"><th scope="row" role="rowheader"><code>${name}</code><br><small class="dim">${PLACES[place]}</small></th><td role="cell">${typeOf(schema)}<br>${isRequired ? html`<b>required</b>` : html`<span class="dim">optional</span>`}</td><td role="cell" class="full">${withNames(rulesOf(schema))} ${isBeyond ? beyond : ''}</td></tr>`;

/** A text in which backticks are around names. */
export const withNames = (text: string): readonly (Html | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

const fieldTable = (fields: readonly Field[]): Html => html`<table class="rows members" role="table">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Member</th><th scope="col" role="columnheader">Type</th><th scope="col" role="columnheader">Rules</th></tr></thead>
<tbody role="rowgroup">${fields.map(fieldRow)}</tbody></table>`;

/** A block of code with a button to copy it. The name is for those who do not see where it is. */
export const codeBlock = (name: string, text: string, kind = ''): Html =>
  html`<div class="block ${kind}"><pre tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre><button type="button" hidden data-copy="${text}"><span aria-live="polite">Copy</span><span class="sr"> ${name}</span></button></div>`;

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** The envelope of a failure, as an example. */
export const failureExample = (code: ErrorCode, member: string): string =>
  pretty({ status: 'failed', appErrorCode: code, errMessage: CODE_NOTES[code].message(member) });

const failure = (code: ErrorCode, member: string): Html => html`
<li><a href="${codePath(code)}">${code}</a> HTTP ${ERROR_CODES[code][0]}: ${meaningOf(ERROR_CODES[code][1])}<br><code>${failureExample(code, member).replace(/\s+/g, ' ')}</code></li>`;

/** The member that the example of a failure names: one that it fits. */
function memberOf({ body = [], parameters }: OperationEntry, code: ErrorCode): string {
  const fields = [...body, ...parameters];
  const isNumber = ({ schema }: Field) => schema.type === 'integer';
  const isText = ({ schema }: Field) => schema.type === 'string';
  const fitting =
    code === 1009
      ? fields.find(({ name }) => /date|^since$/i.test(name))
      : (fields.find((field) => field.isRequired && (code === 1011 ? isNumber(field) : isText(field))) ??
        fields.find(code === 1011 ? isNumber : isText));
  return (fitting ?? fields[0])?.name ?? 'apiKey';
}

/** The text in which a search looks for an operation. */
export function searchTextOf(operation: OperationEntry): string {
  const { id, method, path, tag, summary, specifiedTitle, parameters, body = [], codes } = operation;
  const names = [...parameters, ...body].map(({ name }) => name);
  return [id, method, path, titleOfTag(tag), summary, specifiedTitle, ...names, ...codes].join(' ').toLowerCase();
}

/** More members of a query than this are folded. */
const MOST_OPEN = 4;

/** The section of an operation: its members, an example as curl and as TypeScript, its answers. */
export function operationSection(operation: OperationEntry, schemas: SchemaShapes): Html {
  const {
    id,
    method,
    path,
    summary,
    specifiedTitle,
    description,
    parameters,
    headers,
    body = [],
    data,
    codes,
  } = operation;
  const success = { status: 'success', data: exampleOf(data, schemas) };
  const shown = [...parameters.filter(({ place }) => place === 'path'), ...headers, ...body];
  const query = parameters.filter(({ place }) => place === 'query');
  const heading = `${id}-title`;
  return html`
<section class="panel op" id="${id}" aria-labelledby="${heading}">
<div class="stack">
<div class="head"><h2 id="${heading}">${summary}</h2><p class="small"><a href="#${id}">Link<span class="sr"> to ${summary}</span></a> <a href="/docs/try?operation=${id}">Try it<span class="sr">: ${summary}</span></a></p></div>
<p class="path">${methodBadge(method)} <code>/api/v1${path}</code></p>
${specifiedTitle === '' ? '' : html`<p>In the specification: <b>${specifiedTitle}</b>.</p>`}
${operation.isBeyond ? html`<p>${beyond}</p>` : ''}
${description === '' ? '' : html`<p>${withNames(description)}</p>`}
${operation.isOpen ? html`<p class="dim">Works without a credential.</p>` : ''}
${shown.length + query.length === 0 ? html`<p class="dim">No members.</p>` : ''}
${shown.length === 0 ? '' : fieldTable(shown)}
${query.length === 0 ? '' : html`<details${query.length > MOST_OPEN ? '' : html` open`}><summary>${query.length} in the query<span class="sr"> of ${summary}</span></summary>${fieldTable(query)}</details>`}
</div>
<div class="stack">
${codeBlock(`curl: ${summary}`, curlOf(operation, schemas), 'curl')}
${codeBlock(`TypeScript: ${summary}`, typeScriptOf(operation, schemas), 'typescript')}
<h3>Success, HTTP 200</h3>
${codeBlock(`success: ${summary}`, pretty(success), 'answer')}
<details><summary>${codes.length} failures<span class="sr"> of ${summary}</span></summary><ul class="failures">${codes.map((code) => failure(code, memberOf(operation, code)))}</ul></details>
</div>
</section>`;
}
