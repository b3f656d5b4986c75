import { html } from 'hono/html';
import { page } from '../../web/frame/frame.ts';
import type { Html } from '../../web/frame/marks.ts';
import { exampleOf } from '../api/example-of.ts';
import { programLink, type ReferenceContent, referenceHead, schemasOf } from './docs-page.ts';
import { codeBlock, methodBadge, withNames } from './operation-section.ts';
import { type Field, readOperations } from './read-operations.ts';
import { curlOf, exampleBody } from './snippets.ts';
import { CODES_PATH, operationPath, rulesOf, titleOfTag, typeOf } from './words.ts';

/** The script of the page. */
const TRY_SCRIPT = '/assets/try.js';

const input = ({ name, place, isRequired, schema }: Field, value: string) => html`
<div><label for="f-${name}">${name} <span class="dim">${place === 'path' ? 'in the path' : 'in the query'}, ${typeOf(schema)}</span></label>
<input id="f-${name}" data-place="${place}" data-name="${name}" value="${value}"${isRequired ? html` required` : ''} autocomplete="off" aria-describedby="h-${name}"><p class="hint" id="h-${name}">${withNames(rulesOf(schema))}</p></div>`;

/** What a request may do without, folded: fields for the query, and the names of further members of the body. */
function folded(parameters: readonly Field[], members: readonly Field[] = []): Html | string {
  const total = parameters.length + members.length;
  if (total === 0) return '';
  const more =
    members.length === 0
      ? ''
      : html`<p class="hint">The body may also have ${members.map(({ name }, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}.</p>`;
  return html`<details><summary>${total} optional</summary><div class="stack">${parameters.map((field) => input(field, ''))}${more}</div></details>`;
}

/**
 * The page that sends a request to this daemon. A script sends it, so its fields are disabled without one: then nothing
 * puts a credential into an address or a form. `id` is of an operation, the first by default.
 */
export function tryPage({ document, version }: ReferenceContent, id = ''): string {
  const operations = readOperations(document);
  const schemas = schemasOf(document);
  const operation = operations.find((one) => one.id === id) ?? operations[0];
  if (operation === undefined) throw new Error('an API without an operation');
  const { method, path, summary, isOpen, parameters, body, isForm } = operation;
  const required = parameters.filter(({ isRequired }) => isRequired);
  const optional = parameters.filter(({ isRequired }) => !isRequired);
  const example = body && exampleBody(body, schemas);
  const extra = isForm ? [] : body?.filter(({ name }) => !Object.hasOwn(example ?? {}, name));
  const tags = Map.groupBy(operations, ({ tag }) => tag);
  const content = html`<p class="hint"><a href="/docs">Platform API</a> / <a href="${operationPath(operation)}">${summary}</a></p>
<h1>Try it: ${summary}</h1>
<form class="panel bar" method="get" action="/docs/try"><label for="operation">Operation</label>
<select id="operation" name="operation" autocomplete="off">${[...tags].map(
    ([tag, own]) =>
      html`<optgroup label="${titleOfTag(tag)}">${own.map(
        (one) =>
          html`<option value="${one.id}"${one.id === operation.id ? html` selected` : ''}>${one.summary}</option>`,
      )}</optgroup>`,
  )}</select> <button type="submit">Choose</button></form>
<noscript><p class="empty">This page needs scripts, which your browser does not run. Use the command below.</p></noscript>
<div class="grid two try">
<form class="panel form" id="request" data-method="${method}" data-path="/api/v1${path}" aria-label="Request">
<p class="path">${methodBadge(method)} <code>/api/v1${path}</code></p>
<fieldset disabled>
<div><label for="credential">API key or token${isOpen ? ', optional' : ''}</label><input id="credential" type="password" autocomplete="off" spellcheck="false" aria-describedby="credential-h"><p class="hint" id="credential-h">It stays in the memory of this page and is sent only to this host. Leaving the page discards it, and everything else here.</p></div>
${required.map((field) => input(field, String(exampleOf(field.schema, schemas))))}
${
  body === undefined
    ? ''
    : isForm
      ? body.map(
          ({ name, schema }) =>
            html`<div><label for="f-${name}">${name} <span class="dim">${typeOf(schema)}</span></label><input id="f-${name}" type="file" data-place="form" data-name="${name}" required aria-describedby="h-${name}"><p class="hint" id="h-${name}">${withNames(rulesOf(schema))}</p></div>`,
        )
      : html`<div><label for="body">Body <span class="dim">JSON</span></label><textarea id="body" spellcheck="false" autocomplete="off">${JSON.stringify(example, null, 2)}</textarea></div>`
}
${folded(optional, extra)}
<div><button class="primary" type="submit">Send</button></div>
${method === 'GET' ? '' : html`<p class="hint">This changes the data of this daemon.</p>`}
</fieldset></form>
<section class="panel" aria-labelledby="answer-title"><h2 id="answer-title">Answer</h2>
<p id="outcome" role="status" class="dim">Nothing has been sent yet.</p>
<p id="about" hidden><a href="${CODES_PATH}">What the code means</a></p>
<pre id="answer" class="shown" tabindex="0" role="region" aria-label="What the API answers" hidden></pre>
<p><button id="keep" type="button" hidden>Use this token</button></p>
<h3>The same with curl</h3>
${codeBlock('curl', curlOf(operation, schemas))}</section>
</div>`;
  return String(
    page({
      title: `Try it: ${summary}`,
      room: '/docs',
      madeAt: 0,
      account: programLink,
      head: referenceHead(TRY_SCRIPT),
      footer: [html`subnetd ${version}`],
      content,
    }),
  );
}
