import { html } from 'hono/html';
import { readBounded } from '../../lib/bytes.ts';
import { beginSentence } from '../../lib/words.ts';
import { type Html, shape } from '../../web/frame/marks.ts';
import { MAX_IMAGE_BYTES } from '../api/images.ts';
import { type Failure, fail, type Outcome, succeed } from '../api/outcome.ts';
import { MULTIPART, readMultipart } from '../api/read-multipart.ts';
import type { FileKind } from './visit.ts';

/** The largest form that is read, as of the API. */
const MAX_FORM_BYTES = 64 * 1024;

/** The largest form with a file. */
const MAX_FILE_FORM_BYTES = { text: 512 * 1024, image: MAX_IMAGE_BYTES + MAX_FORM_BYTES };

const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** What a form has sent. */
export interface SentForm {
  /** The last value of each member. */
  readonly members: Readonly<Record<string, string>>;
  /** The bytes of its image. */
  readonly image?: Uint8Array | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const CUT_OFF = fail(1001, 'the form was cut off; send it again');

/** Reads a form with a file. The text of a file is a member like others. */
async function readFileForm(bytes: Uint8Array, type: string, takesFile: FileKind): Promise<Outcome<SentForm>> {
  const parts = await readMultipart(bytes, type);
  if (parts === undefined) return CUT_OFF;
  const isText = (part: readonly [string, string | Uint8Array]): part is [string, string] =>
    typeof part[1] === 'string';
  const texts = Object.entries(parts).filter(isText);
  const [file] = Object.entries(parts).flatMap(([name, value]) => (typeof value === 'string' ? [] : [{ name, value }]));
  if (takesFile === 'image') return succeed({ members: Object.fromEntries(texts), image: file?.value });
  try {
    const text: readonly (readonly [string, string])[] = file ? [[file.name, utf8.decode(file.value)]] : [];
    return succeed({ members: Object.fromEntries([...texts, ...text]) });
  } catch {
    return fail(1012, 'the file is not UTF-8; save it as “CSV UTF-8”');
  }
}

/** Reads a form; an absent body is an empty one. With `takesFile` it may have a file. */
export async function readForm(request: Request, takesFile?: FileKind): Promise<Outcome<SentForm>> {
  const type = request.headers.get('content-type') ?? '';
  const isMultipart = takesFile !== undefined && MULTIPART.test(type);
  if (request.body !== null && !isMultipart && !URL_ENCODED.test(type))
    return fail(1001, 'the portal accepts only forms; programs use the API');
  const most = takesFile === undefined ? MAX_FORM_BYTES : MAX_FILE_FORM_BYTES[takesFile];
  let bytes: Buffer | undefined;
  try {
    bytes = request.body === null ? Buffer.alloc(0) : await readBounded(request.body, most);
  } catch {
    return CUT_OFF;
  }
  if (bytes === undefined) return fail(1005, `the form exceeds the maximum of ${most} bytes`, { connection: 'close' });
  if (isMultipart) return readFileForm(bytes, type, takesFile);
  return succeed({ members: Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))) });
}

/** One field of a form. Its name is the API's name of the member. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** Whether its name stands beside the label: whoever fills it in may send it to the API as well. */
  readonly isMember?: boolean;
  /** By default `text`. A checkbox sends `true`, or nothing; so does each of the `choices`, by the name of its own. */
  readonly kind?:
    | 'text'
    | 'password'
    | 'email'
    | 'tel'
    | 'date'
    | 'search'
    | 'checkbox'
    | 'choices'
    | 'select'
    | 'file'
    | 'hidden';
  /** Shown at first; of a checkbox, `true` checks it. A password never has one. */
  readonly value?: string | undefined;
  readonly hint?: Html | string | undefined;
  readonly isOptional?: boolean;
  /** The purpose, as HTML's attribute has it. */
  readonly autocomplete?: string;
  readonly inputMode?: 'numeric' | 'tel' | 'email' | undefined;
  /** Of a file, what the browser offers to choose. */
  readonly accept?: string;
  /** Of a select what is sent, and what is shown; of choices the name of each, and what it means. */
  readonly options?: readonly (readonly [value: string, text: string])[];
  /** Which of the choices are checked. */
  readonly chosen?: readonly string[];
}

/** A one-time code. */
export const OTP_FIELD: Field = {
  name: 'Otp',
  label: 'One-time code',
  autocomplete: 'one-time-code',
  inputMode: 'numeric',
};

/** A password that its user chooses. */
export const newPasswordField = (name: string): Field => ({
  name,
  label: 'New password',
  kind: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A long phrase is best.',
});

/** A form that changes something. */
export interface FormInput {
  /** Of its element; the ids of its fields begin with it. */
  readonly id: string;
  readonly action: string;
  /** The CSRF token of the session; absent where nobody is signed in. */
  readonly csrf?: string | undefined;
  readonly fields: readonly Field[];
  /** What its button says. */
  readonly submit: string;
  /** Whether it takes something away that does not come back. */
  readonly isDanger?: boolean;
  /** Why the form was refused when it was sent. */
  readonly failure?: Failure | undefined;
  /** Whether its route takes a file; by default if it has a field for one. */
  readonly takesFile?: boolean;
}

/** A link to the code in the reference. */
export const codeLink = (code: number): Html => html`<a href="/docs/codes#code-${code}">Code ${code}</a>`;

/** A message as a sentence. */
export const sentence = (message: string): string => `${beginSentence(message)}${/[.!?]$/.test(message) ? '' : '.'}`;

/** Why a request was refused, in the words of the API. */
export const failureNote = ({ code, message }: Pick<Failure, 'code' | 'message'>): Html =>
  html`<div class="notice bad" role="alert">${shape('bad')}<p>${sentence(message)} ${codeLink(code)}</p></div>`;

/** What was done, at the top of the page after a form. */
export const doneNote = (text: Html | string): Html =>
  html`<div class="notice ok" role="status">${shape('ok')}<p>${text}</p></div>`;

/** What deserves attention. */
export const warnNote = (text: Html | string): Html =>
  html`<div class="notice warn">${shape('warn')}<p>${text}</p></div>`;

/** The members that these codes are about, in whatever words. */
const MEMBER_OF: Readonly<Partial<Record<Failure['code'], string>>> = {
  1118: 'Password',
  1119: 'Otp',
  1122: 'Otp',
  1124: 'Otp',
};

/** The field that a failure is about: the API's messages begin with the name of the member, if it is about one. */
const fieldOf = (failure: Failure | undefined, fields: readonly Field[]): Field | undefined => {
  if (failure === undefined) return undefined;
  const { code, message } = failure;
  const isNamed = ({ name, kind }: Field) =>
    kind !== 'hidden' && message.startsWith(name) && !/^\w/.test(message.slice(name.length));
  return fields.find(isNamed) ?? fields.find(({ name }) => name === MEMBER_OF[code]);
};

/**
 * A refusal in the words of the form: a member of the API is called by the label of its field. A select that is no member of
 * a record has a label that only goes with its options.
 */
function inWordsOf(failure: Failure, field: Field, fields: readonly Field[]): Failure {
  if (field.kind === 'choices' && failure.code === 1002) {
    const one = field.label.replace(/s$/, '').toLowerCase();
    return { ...failure, message: `choose at least one ${one}` };
  }
  const named = fields.filter(({ kind, isMember }) => kind !== 'hidden' && (kind !== 'select' || isMember));
  const labels = new Map(named.map(({ name, label }) => [name, label]));
  return { ...failure, message: failure.message.replaceAll(/\b[A-Z]\w+\b/g, (word) => labels.get(word) ?? word) };
}

const flag = (name: string, isSet: boolean): Html | string => (isSet ? html` ${name}` : '');

function control(field: Field, id: string, describedBy: string, isWrong: boolean): Html {
  const { name, kind = 'text', value = '', isOptional = false, autocomplete, inputMode, options = [] } = field;
  const about = html`${describedBy === '' ? '' : html` aria-describedby="${describedBy}"`}${isWrong ? html` aria-invalid="true"` : ''}`;
  const required = flag('required', !isOptional && kind !== 'checkbox');
  if (kind === 'select')
    return html`<select id="${id}" name="${name}"${required}${about}>${options.map(
      ([sent, text]) => html`<option value="${sent}"${flag('selected', sent === value)}>${text}</option>`,
    )}</select>`;
  if (kind === 'checkbox')
    return html`<input id="${id}" name="${name}" type="checkbox" value="true"${flag('checked', value === 'true')}${about}>`;
  if (kind === 'file')
    return html`<input id="${id}" name="${name}" type="file" accept="${field.accept ?? '.csv,text/csv'}"${required}${about}>`;
  const shown = kind === 'password' ? '' : html` value="${value}"`;
  // What is a name or a code is not a word to be corrected.
  const asTyped = kind === 'text' ? html` autocapitalize="none" spellcheck="false"` : '';
  return html`<input id="${id}" name="${name}" type="${kind}"${shown}${required} autocomplete="${autocomplete ?? 'off'}"${inputMode === undefined ? '' : html` inputmode="${inputMode}"`}${asTyped}${about}>`;
}

/** The choices below each other, each a checkbox. The first one has the id to which a refusal leads. */
const choices = ({ options = [], chosen = [] }: Field, id: string, isWrong: boolean): Html =>
  html`${options.map(([name, text], index) => {
    const own = index === 0 ? id : `${id}-${name}`;
    return html`<div class="check"><input id="${own}" name="${name}" type="checkbox" value="true"${flag('checked', chosen.includes(name))} aria-describedby="${id}-${name}-hint"${isWrong ? html` aria-invalid="true"` : ''}> <label for="${own}">${name}</label><p class="hint" id="${id}-${name}-hint">${text}</p></div>`;
  })}`;

function row(field: Field, formId: string, failure: Failure | undefined): Html {
  const { name, label, kind, hint, value = '', isOptional, isMember } = field;
  const id = `${formId}-${name}`;
  if (kind === 'hidden') return html`<input type="hidden" name="${name}" value="${value}">`;
  const member = isMember && name !== label ? html` <code class="dim">${name}</code>` : '';
  const title = html`${label}${member}${isOptional ? html` <span class="dim">(optional)</span>` : ''}`;
  const notes = html`${
    failure && html`<p class="error" id="${id}-error">${sentence(failure.message)} ${codeLink(failure.code)}</p>`
  }${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`;
  const about = [failure && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  if (kind === 'choices')
    return html`<fieldset class="choices"${about === '' ? '' : html` aria-describedby="${about}"`}><legend>${title}</legend>${notes}${choices(field, id, failure !== undefined)}</fieldset>`;
  const input = control(field, id, about, failure !== undefined);
  const named = html`<label for="${id}">${title}</label>`;
  return html`<div${kind === 'checkbox' ? html` class="check"` : ''}>${kind === 'checkbox' ? html`${input} ${named}` : html`${named}${input}`}${notes}</div>`;
}

/** The hidden field with the CSRF token. */
export const csrfField = (csrf: string | undefined): Html | string =>
  csrf === undefined ? '' : html`<input type="hidden" name="csrf" value="${csrf}">`;

/**
 * A form. After a refusal it says why at its top, and beside the field that it is about; both in the words of the API, with
 * the labels of the fields for its members. The browser checks nothing by itself, so the words are always those.
 */
export function form(input: FormInput): Html {
  const { id, action, csrf, fields, submit, isDanger = false } = input;
  const wrong = fieldOf(input.failure, fields);
  const failure = wrong && input.failure ? inWordsOf(input.failure, wrong, fields) : input.failure;
  const top =
    failure === undefined
      ? ''
      : wrong === undefined
        ? failureNote(failure)
        : html`<div class="notice bad" role="alert">${shape('bad')}<p><a href="#${id}-${wrong.name}">${sentence(failure.message)}</a></p></div>`;
  const { takesFile = fields.some(({ kind }) => kind === 'file') } = input;
  const encoding = takesFile ? html` enctype="multipart/form-data"` : '';
  return html`${top}<form class="form" id="${id}" method="post" action="${action}"${encoding} novalidate>${csrfField(csrf)}${fields.map(
    (field) => row(field, id, field === wrong ? failure : undefined),
  )}<div><button class="${isDanger ? 'danger' : 'primary'}" type="submit">${submit}</button></div></form>`;
}
