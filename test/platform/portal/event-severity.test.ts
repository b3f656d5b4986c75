import { expect, it } from 'vitest';
import { SECURITY_ACTIONS, SECURITY_EVENTS } from '../../../src/platform/model/security-event.ts';
import { startPortal } from '../../support/portal.ts';
import { useDatabases } from '../../support/use-api.ts';

const databases = useDatabases('sqlite');

it('the security log of the portal marks each event as the log of the daemon does', async () => {
  const portal = await startPortal(await databases.create());
  try {
    const visitor = portal.visitor();
    const event = { subject: undefined, owner: null, credential: 'none', ip: null, requestId: null, count: 1 };
    const at = '2026-01-31T12:00:00.000Z';
    await portal.store.addSecurityEvents(SECURITY_ACTIONS.map((action) => ({ ...event, at, action })));
    await visitor.signIn();
    const { html } = await visitor.get('/portal/security-log');
    for (const action of SECURITY_ACTIONS) {
      const mark = SECURITY_EVENTS[action][0] === 'info' ? 'ok' : 'warn';
      expect(html).toContain(
        `<span class="badge ${mark}"><svg class="shape" aria-hidden="true"><use href="#${mark}"/></svg>${action}</span>`,
      );
    }
  } finally {
    await portal.stop();
  }
}, 60_000);
