import { html } from 'hono/html';
import { page } from '../../web/frame/frame.ts';
import type { Html } from '../../web/frame/marks.ts';
import type { Json } from '../api/call.ts';
import { API_VERSION, ERROR_CODES, type ErrorCode } from '../api/error-codes.ts';
import type { SchemaShapes } from '../api/example-of.ts';
import { allCodes, codeSection, searchTextOfCode } from './code-section.ts';
import { codeBlock, methodBadge, operationSection, searchTextOf } from './operation-section.ts';
import { type OperationEntry, readOperations } from './read-operations.ts';
import { CODES_PATH, codePath, idOfTag, meaningOf, operationPath, pathOfTag, titleOfTag } from './words.ts';

/** The style sheet and the script of the reference, besides those of every page. */
const REFERENCE_STYLE = '/assets/reference.css';
const REFERENCE_SCRIPT = '/assets/reference.js';

const INDEX_PATH = '/docs';

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

type Groups = ReadonlyMap<string, readonly OperationEntry[]>;

const groupsOf = (document: Json): Groups => Map.groupBy(readOperations(document), ({ tag }) => tag);

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
<p>Get a token with <a href="${operationPath({ tag: 'Auth', id: 'getToken' })}">POST /Auth/Token</a>, with a key or with a user name and password. It lasts 24 hours:</p>
${codeBlock('getting a token', `export TOKEN=$(curl -s -X POST "$URL/api/v1/Auth/Token?apiKey=$KEY" | grep -o 'eyJ[^"]*')`)}
<p>Each credential has a scope. A request outside its scopes gets the code <a href="${codePath(1104)}">1104</a>. Requests that come too quickly get <a href="${codePath(1102)}">1102</a>, with the seconds to wait in <code>Retry-After</code>.</p>
</section>
<section class="panel prose" id="answers" aria-labelledby="answers-title">
<h2 id="answers-title">Answers</h2>
<p>A success has the HTTP status 200 and the data of the operation:</p>
${codeBlock('a success', '{"status":"success","data":{"result":"success","IndustryID":1}}')}
<p>A failure has a <a href="${CODES_PATH}">code</a>, the HTTP status of that code, and a sentence that says what to do:</p>
${codeBlock('a failure', '{"status":"failed","appErrorCode":1001,"errMessage":"IndustryName is missing; send it"}')}
<p>With <code>Prefer: link</code> a failure has a <code>link</code> to its code in this reference, too. Each answer has an <code>x-request-id</code>, which also appears in the log and the audit trail.</p>
</section>
<section class="panel prose" id="versions" aria-labelledby="versions-title">
<h2 id="versions-title">Versions</h2>
<p>This is version ${API_VERSION} of the API, which is that of its specification. A release of subnetd may add operations, optional parameters and members of answers, but takes nothing away. Anything that will be removed is first marked as deprecated and keeps working for at least twelve months, with the headers <code>Deprecation</code> and <code>Sunset</code>.</p>
<p>The file <code>docs/api-changes.md</code> of subnetd has the full policy and the changes of each release.</p>
</section>`;

/** The pages of the reference; below the one that is open, what it has. */
function contents(groups: Groups, open: string): Html {
  const link = (path: string, name: string, own: readonly OperationEntry[] = []): Html =>
    html`<li><a href="${path}"${path === open ? html` aria-current="page"` : ''}>${name}</a>${
      path === open && own.length > 0
        ? html`<ul>${own.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>`)}</ul>`
        : ''
    }</li>`;
  return html`<nav class="contents" aria-label="API reference"><ul>
${link(INDEX_PATH, 'Overview')}
${[...groups].map(([tag, own]) => link(pathOfTag(tag), titleOfTag(tag), own))}
${link(CODES_PATH, 'Codes')}
${link('/docs/try', 'Try it')}
</ul></nav>`;
}

/** A search is carried out by a script on the index, so it costs no request there. Without one, the browser's own search has that page. */
const search = (
  more: Html,
): Html => html`<form class="panel bar find" method="get" action="${INDEX_PATH}" role="search">
<label for="q">Search</label> <input type="search" id="q" name="q" maxlength="${LONGEST_SEARCH}" placeholder="a path, a member, a code" autocomplete="off"> <button type="submit">Search</button>
${more}
</form>`;

function frame({ document, version }: ReferenceContent, path: string, title: string, content: Html): string {
  return String(
    page({
      title,
      room: '/docs',
      madeAt: 0,
      account: programLink,
      head: referenceHead(REFERENCE_SCRIPT),
      footer: [html`subnetd ${version}`],
      content: html`<div class="grid docs">${contents(groupsOf(document), path)}
<div class="stack">
<h1>${title}</h1>
${content}
</div></div>`,
    }),
  );
}

/** An operation on the index. It has the anchor that it had when the reference was one page. */
const operationItem = (operation: OperationEntry): Html => {
  const { id, method, path, summary, specifiedTitle } = operation;
  const also = specifiedTitle === '' ? '' : html` <span class="dim">In the specification: ${specifiedTitle}</span>`;
  return html`<li class="op-item" id="${id}" data-words="${searchTextOf(operation)}">${methodBadge(method)} <a href="${operationPath(operation)}">${summary}</a> <code>${path}</code>${also}</li>`;
};

const codeItem = (code: ErrorCode): Html => {
  const [status, meaning] = ERROR_CODES[code];
  return html`<li class="code-item" id="code-${code}" data-words="${searchTextOfCode(code)}"><a href="${codePath(code)}">${code}</a> <span>${meaningOf(meaning)}</span> <span class="dim">HTTP ${status}</span></li>`;
};

const group = (id: string, path: string, title: string, items: readonly Html[]): Html => html`
<section class="panel group" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title"><a href="${path}">${title}</a></h2>
<ul class="overview">${items}</ul></section>`;

/** The index of the reference: how to start, and a line for each operation and each code. */
function indexPage(content: ReferenceContent): string {
  const groups = groupsOf(content.document);
  const operations = [...groups.values()].flat();
  const found = html`<p class="small" role="status" id="found">${count(operations.length, 'operation')}, ${count(allCodes.length, 'code')}</p>
<noscript><p class="small">Without scripts this page always shows everything. Press Ctrl+F to search it.</p></noscript>`;
  return frame(
    content,
    INDEX_PATH,
    'Platform API',
    html`${search(found)}
${start}
<p class="empty" id="nothing" hidden>Nothing matches. Search for fewer words, a path such as Sector, a member such as EmailID, or a code such as 1103.</p>
<div class="grid groups">${[...groups].map(([tag, own]) => group(idOfTag(tag), pathOfTag(tag), titleOfTag(tag), own.map(operationItem)))}</div>
${group('codes', CODES_PATH, 'Codes', allCodes.map(codeItem))}`,
  );
}

const LANGUAGES = html`<fieldset class="bar choice"><legend class="sr">Language of the examples</legend><label><input type="radio" name="as" value="curl" checked> curl</label><label><input type="radio" name="as" value="typescript" id="as-typescript"> TypeScript</label></fieldset>`;

/** The page of a group of operations. */
function groupPage(content: ReferenceContent, tag: string, own: readonly OperationEntry[]): string {
  const schemas = schemasOf(content.document);
  return frame(
    content,
    pathOfTag(tag),
    titleOfTag(tag),
    html`${search(LANGUAGES)}
${own.map((operation) => operationSection(operation, schemas))}`,
  );
}

/** The page of all codes. */
function codesPage(content: ReferenceContent): string {
  const operations = readOperations(content.document);
  return frame(
    content,
    CODES_PATH,
    'Codes',
    html`${search(html``)}
<p class="dim">The ${allCodes.length} codes of the specification. Code 1114 does not exist.</p>
<div class="grid codes">${allCodes.map((code) => codeSection(code, operations))}</div>`,
  );
}

/** Every page of the reference by its path, each the same for every request. */
export const referencePages = (content: ReferenceContent): ReadonlyMap<string, () => string> =>
  new Map([
    [INDEX_PATH, () => indexPage(content)],
    ...[...groupsOf(content.document)].map(([tag, own]): [string, () => string] => [
      pathOfTag(tag),
      () => groupPage(content, tag, own),
    ]),
    [CODES_PATH, () => codesPage(content)],
  ]);
