import { html } from 'hono/html';
import { page } from '../../web/frame/frame.ts';
import type { Html } from '../../web/frame/marks.ts';
import type { Json } from '../api/call.ts';
import { API_VERSION } from '../api/error-codes.ts';
import type { SchemaShapes } from '../api/example-of.ts';
import { allCodes, codeSection } from './code-section.ts';
import { codeBlock, methodBadge, operationSection } from './operation-section.ts';
import { type OperationEntry, readOperations } from './read-operations.ts';
import { idOfTag, titleOfTag } from './words.ts';

/** The style sheet and the script of the reference, besides those of every page. */
export const REFERENCE_STYLE = '/assets/reference.css';
export const REFERENCE_SCRIPT = '/assets/reference.js';

/** The longest search. */
const LONGEST_SEARCH = 100;

/** What the pages of the reference are made of. */
export interface ReferenceContent {
  readonly document: Json;
  readonly version: string;
}

/** What goes into the head of a page of the reference. */
export const referenceHead = (script: string): Html =>
  html`<link rel="stylesheet" href="${REFERENCE_STYLE}"><script type="module" src="${script}"></script>`;

/** The right of the header of a page of the reference. */
export const programLink = html`<p class="live">For programs: <a href="/api/openapi.json">OpenAPI 3.1</a></p>`;

/** The schemas that a document refers to. */
export const schemasOf = (document: Json): SchemaShapes =>
  (document.components as { readonly schemas?: SchemaShapes } | undefined)?.schemas ?? {};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const start = html`<section class="panel prose" id="start" aria-labelledby="start-title">
<h2 id="start-title">Start</h2>
<p>Manage admin users, project types, sectors and industries over HTTP. Each path exists below <code>/api/v1</code> and, identically, below <code>/api</code>. Bodies and answers are JSON.</p>
<p>Get an API key in the <a href="/portal">portal</a> or with <code>subnetd apikey create</code>, and list the industries:</p>
${codeBlock('the first request', `export URL=http://127.0.0.1:10545 KEY=subnetd_…\ncurl -s -H "x-api-key: $KEY" "$URL/api/v1/Industry/ListAll/0"`)}
<p>What is marked <span class="mark">Beyond the specification</span> was added by subnetd. Everything else is the platform specification, version 1.0.</p>
</section>
<section class="panel prose" id="credentials" aria-labelledby="credentials-title">
<h2 id="credentials-title">Credentials</h2>
<p>Send an API key in the header <code>x-api-key</code>, or a token in the header <code>authorization</code>, alone or after <code>Bearer</code>. Both also go into the JSON body or the query, as <code>apiKey</code> and <code>token</code>. If you send several credentials, all must be valid.</p>
<p>Get a token with <a href="#getToken">POST /Auth/Token</a>, with a key or with a user name and password. It lasts 24 hours:</p>
${codeBlock('getting a token', `export TOKEN=$(curl -s -X POST "$URL/api/v1/Auth/Token?apiKey=$KEY" | grep -o 'eyJ[^"]*')`)}
<p>Each credential has a scope. A request outside its scopes gets the code <a href="#code-1104">1104</a>. Requests that come too quickly get <a href="#code-1102">1102</a>, with the seconds to wait in <code>Retry-After</code>.</p>
</section>
<section class="panel prose" id="answers" aria-labelledby="answers-title">
<h2 id="answers-title">Answers</h2>
<p>A success has the HTTP status 200 and the data of the operation:</p>
${codeBlock('a success', '{"status":"success","data":{"result":"success","IndustryID":1}}')}
<p>A failure has a <a href="#codes">code</a>, the HTTP status of that code, and a sentence that says what to do:</p>
${codeBlock('a failure', '{"status":"failed","appErrorCode":1001,"errMessage":"IndustryName is missing; send it"}')}
<p>With <code>Prefer: link</code> a failure has a <code>link</code> to its code on this page, too. Each answer has an <code>x-request-id</code>, which also appears in the log and the audit trail.</p>
</section>
<section class="panel prose" id="versions" aria-labelledby="versions-title">
<h2 id="versions-title">Versions</h2>
<p>This is version ${API_VERSION} of the API, which is that of its specification. A release of subnetd may add operations, optional parameters and members of answers, but takes nothing away. Anything that will be removed is first marked as deprecated and keeps working for at least twelve months, with the headers <code>Deprecation</code> and <code>Sunset</code>.</p>
<p>The file <code>docs/api-changes.md</code> of subnetd has the full policy and the changes of each release.</p>
</section>`;

const contents = (
  tags: ReadonlyMap<string, readonly OperationEntry[]>,
): Html => html`<nav class="contents" aria-label="On this page">
<ul>
<li><a href="#start">Start</a></li><li><a href="#credentials">Credentials</a></li><li><a href="#answers">Answers</a></li>
${[...tags].map(
  ([tag, own]) =>
    html`<li><a href="#${idOfTag(tag)}">${titleOfTag(tag)}</a><ul>${own.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}</ul></li>`,
)}
<li><a href="#codes">Codes</a></li>
</ul></nav>`;

const overview = (own: readonly OperationEntry[]): Html =>
  html`<ul class="overview">${own.map(
    ({ id, method, path, summary }) =>
      html`<li>${methodBadge(method)} <a href="#${id}">${summary}</a> <code>${path}</code></li>`,
  )}</ul>`;

/** A script searches, so that a request costs nothing; without one the browser's own search has the whole page. */
const search = (found: string): Html => html`<form class="panel bar find" method="get" action="/docs" role="search">
<label for="q">Search</label> <input type="search" id="q" name="q" maxlength="${LONGEST_SEARCH}" placeholder="a path, a member, a code" autocomplete="off"> <button type="submit">Search</button>
<p class="small" role="status" id="found">${found}</p>
<noscript><p class="small">Without scripts this page always shows everything. Press Ctrl+F to search it.</p></noscript>
<fieldset class="bar choice"><legend class="sr">Language of the examples</legend><label><input type="radio" name="as" value="curl" checked> curl</label><label><input type="radio" name="as" value="typescript" id="as-typescript"> TypeScript</label></fieldset>
</form>`;

/** The reference of the API: one page, the same for every request. */
export function docsPage({ document, version }: ReferenceContent): string {
  const operations = readOperations(document);
  const schemas = schemasOf(document);
  const tags = Map.groupBy(operations, ({ tag }) => tag);
  const content = html`<div class="grid docs">${contents(tags)}
<div class="stack">
<h1>Platform API</h1>
${search(`${count(operations.length, 'operation')}, ${count(allCodes.length, 'code')}`)}
${start}
<p class="empty" id="nothing" hidden>Nothing matches. Search for fewer words, a path such as Sector, a member such as EmailID, or a code such as 1103.</p>
${[...tags].map(
  ([tag, own]) => html`
<section class="stack group" id="${idOfTag(tag)}" aria-labelledby="${idOfTag(tag)}-title"><h2 id="${idOfTag(tag)}-title">${titleOfTag(tag)}</h2>
${overview(own)}
${own.map((operation) => operationSection(operation, schemas))}</section>`,
)}
<section class="stack group" id="codes" aria-labelledby="codes-title"><h2 id="codes-title">Codes</h2>
<p class="dim">The ${allCodes.length} codes of the specification. Code 1114 does not exist.</p>
<div class="grid codes">${allCodes.map((code) => codeSection(code, operations))}</div></section>
</div></div>`;
  return String(
    page({
      title: 'Platform API',
      room: '/docs',
      madeAt: 0,
      account: programLink,
      head: referenceHead(REFERENCE_SCRIPT),
      footer: [html`subnetd ${version}`],
      content,
    }),
  );
}
