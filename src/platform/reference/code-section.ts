import { html } from 'hono/html';
import type { Html } from '../../web/frame/marks.ts';
import { codeSituations, formatRequest } from '../api/code-situations.ts';
import { ERROR_CODES, type ErrorCode } from '../api/error-codes.ts';
import { CODE_NOTES } from './code-notes.ts';
import { failureExample, withNames } from './operation-section.ts';
import type { OperationEntry } from './read-operations.ts';
import { meaningOf, operationPath } from './words.ts';

/** All codes, in their order. */
export const allCodes = Object.keys(ERROR_CODES).map(Number) as readonly ErrorCode[];

/** The text in which a search looks for a code. */
export const searchTextOfCode = (code: ErrorCode): string => {
  const [status, meaning] = ERROR_CODES[code];
  const { when, fix } = CODE_NOTES[code];
  return `${code} http ${status} ${meaning} ${when} ${fix}`.toLowerCase();
};

/** More operations than this are folded. */
const MOST_SENDERS = 5;

/** The operations that answer a code. Most answer the codes of every request, which needs no list. */
function senders(code: ErrorCode, operations: readonly OperationEntry[]): Html {
  const some = operations.filter(({ codes }) => codes.includes(code));
  if (some.length === 0) return html`<span class="dim">No operation of this version.</span>`;
  if (some.length === operations.length) return html`Every operation.`;
  const list = html`${some.map((one, index) => html`${index === 0 ? '' : ', '}<a href="${operationPath(one)}">${one.summary}</a>`)}.`;
  if (some.length <= MOST_SENDERS) return list;
  return html`<details><summary>${some.length} operations<span class="sr"> that answer ${code}</span></summary>${list}</details>`;
}

/** The section of a code, whose anchor failures link to. */
export function codeSection(code: ErrorCode, operations: readonly OperationEntry[]): Html {
  const [status, meaning] = ERROR_CODES[code];
  const { when, fix } = CODE_NOTES[code];
  const situation = codeSituations[code];
  const heading = `code-${code}-title`;
  return html`
<section class="panel code" id="code-${code}" aria-labelledby="${heading}">
<h2 id="${heading}"><a href="#code-${code}">${code}</a> ${meaningOf(meaning)}</h2>
<p class="dim small">HTTP ${status}</p>
<p>${when} ${fix}</p>
<p class="small">For example <code>${formatRequest(situation)}</code>, if ${withNames(situation.when)}:</p>
<pre><code>${failureExample(code, code === 1009 ? 'ExpiryDate' : 'ContractName')}</code></pre>
<div class="small">${senders(code, operations)}</div>
</section>`;
}
