import { html } from 'hono/html';
import type { Html } from '../../../../web/frame/marks.ts';
import { saveProfile } from '../../../api/accounts/profile.ts';
import { succeed } from '../../../api/outcome.ts';
import { adminUser } from '../../../api/resources.ts';
import type { ApiRecord } from '../../../model/resource.ts';
import { type Field, form } from '../../form.ts';
import { labelOf } from '../../member-words.ts';
import { ACCOUNT_PATH, type AccountPanel, actionPath, failureOf, type Refused } from '../../panels.ts';
import { seeOther, type Visit } from '../../visit.ts';

const ACTION = 'profile';

const FIELDS: readonly Field[] = [
  { name: 'FirstName', label: labelOf('FirstName'), autocomplete: 'given-name' },
  { name: 'LastName', label: labelOf('LastName'), autocomplete: 'family-name' },
  { name: 'EmailID', label: labelOf('EmailID'), kind: 'email', autocomplete: 'email', inputMode: 'email' },
  {
    name: 'MobileNo',
    label: labelOf('MobileNo'),
    kind: 'tel',
    autocomplete: 'tel',
    inputMode: 'tel',
    isOptional: true,
    hint: 'For example +41 79 123 45 67.',
  },
];

async function show({ store, session, form: sent, csrf }: Visit, refused: Refused | undefined): Promise<Html> {
  const failure = failureOf(refused, ACTION);
  const record: ApiRecord = (await store.find(adminUser, session.userId)) ?? {};
  const values = failure === undefined ? record : sent;
  const fields = FIELDS.map((field) => ({ ...field, value: String(values[field.name] ?? '') }));
  return html`<section class="panel record" aria-labelledby="profile-title"><div class="head"><h2 id="profile-title">Profile</h2><p class="dim">${session.userName}, admin user ${session.userId}</p></div>
${form({ id: ACTION, action: actionPath(ACTION), csrf, fields, submit: 'Save', failure })}</section>`;
}

async function save({ actor, form: sent, services }: Visit) {
  const saved = await saveProfile(actor, sent, services);
  return saved.ok ? succeed(seeOther(`${ACCOUNT_PATH}?done=profile`)) : saved;
}

/** What the user says of themselves. */
export const profilePanel: AccountPanel = {
  notes: { profile: 'Your profile was saved.' },
  actions: [{ name: ACTION, isSensitive: true, run: save }],
  show,
};
