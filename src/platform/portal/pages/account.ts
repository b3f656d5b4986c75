import { html } from 'hono/html';
import { doneNote, warnNote } from '../form.ts';
import { formPage } from '../layout.ts';
import { ACCOUNT_PATH, type AccountAction, type AccountPanel, actionPath, type Refused } from '../panels.ts';
import type { PortalPage, PortalRoute, PortalSection, Visit } from '../visit.ts';
import { codesPanel } from './account/codes-panel.ts';
import { passwordPanel } from './account/password-panel.ts';
import { profilePanel } from './account/profile-panel.ts';
import { sessionsPanel } from './account/sessions-panel.ts';

/** The panels in the order of the page. */
const PANELS: readonly AccountPanel[] = [profilePanel, passwordPanel, codesPanel, sessionsPanel];

const NOTES: ReadonlyMap<string, string> = new Map(PANELS.flatMap(({ notes }) => Object.entries(notes)));

const MUST_ENROL = 'Every admin user must use one-time codes here. Turn them on to continue.';

async function show(visit: Visit, refused?: Refused): Promise<PortalPage> {
  const done = refused === undefined ? NOTES.get(visit.query.get('done') ?? '') : undefined;
  const mustEnrol = visit.services.requiresOtp && visit.session.codeAt === null;
  const shown = mustEnrol ? [codesPanel] : PANELS;
  const panels = await Promise.all(shown.map((panel) => panel.show(visit, refused)));
  const content = html`<h1>Your account</h1>
${done === undefined ? '' : doneNote(done)}
${mustEnrol ? warnNote(MUST_ENROL) : ''}
${panels}`;
  return formPage('Your account', content, refused?.failure);
}

const toRoute = ({ name, isSensitive = false, withoutCode, run }: AccountAction): PortalRoute => ({
  kind: 'signed in',
  method: 'POST',
  path: actionPath(name),
  isSensitive,
  ...(withoutCode && { withoutCode }),
  answer: async (visit) => {
    const done = await run(visit);
    return done.ok ? done.value : show(visit, { name, failure: done.failure });
  },
});

/** What an admin user sees and changes of themselves. */
export const account: PortalSection = {
  path: ACCOUNT_PATH,
  name: 'Your account',
  routes: [
    { kind: 'signed in', method: 'GET', path: ACCOUNT_PATH, withoutCode: 'to enrol', answer: (visit) => show(visit) },
    ...PANELS.flatMap(({ actions }) => actions).map(toRoute),
  ],
};
