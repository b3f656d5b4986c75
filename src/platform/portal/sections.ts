import { adminUser, industry, projectType, sector } from '../api/resources.ts';
import { account } from './pages/account.ts';
import { apiKeys } from './pages/api-keys.ts';
import { auditLog, securityLog } from './pages/event-section.ts';
import { mailedLinkRoutes } from './pages/mailed-links.ts';
import { createRecordSection } from './pages/record-section.ts';
import { signInRoutes } from './pages/sign-in.ts';
import { adaptUserField, addUser, userPanel } from './pages/user-panel.ts';
import type { PortalRoute, PortalSection } from './visit.ts';

/** The sections of the portal, in the order of the side navigation. The first is where a sign-in leads. */
export const sections: readonly PortalSection[] = [
  apiKeys,
  createRecordSection(
    {
      resource: adminUser,
      path: '/portal/users',
      name: 'Admin users',
      panel: userPanel,
      add: addUser,
      adapt: adaptUserField,
    },
    true,
  ),
  createRecordSection({ resource: projectType, path: '/portal/project-types', name: 'Project types' }),
  createRecordSection({ resource: sector, path: '/portal/sectors', name: 'Sectors' }),
  createRecordSection({ resource: industry, path: '/portal/industries', name: 'Industries' }),
  auditLog,
  securityLog,
  account,
];

/** The routes outside the sections. */
export const otherRoutes: readonly PortalRoute[] = [...signInRoutes, ...mailedLinkRoutes];
