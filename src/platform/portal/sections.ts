import { adminUser, industry, projectType, sector } from '../api/resources.ts';
import { account } from './pages/account.ts';
import { apiKeys } from './pages/api-keys.ts';
import { auditLog, securityLog } from './pages/event-section.ts';
import { imageRoute } from './pages/images.ts';
import { mailedLinkRoutes } from './pages/mailed-links.ts';
import { createRecordSection } from './pages/record-section.ts';
import { signInRoutes } from './pages/sign-in.ts';
import { adaptUserField, addUser, userPanel } from './pages/user-panel.ts';
import type { PortalRoute, PortalSection } from './visit.ts';

const INDUSTRIES = '/portal/industries';

/** The sections of the portal, in the order of the side navigation. The first is where a sign-in leads. */
export const sections: readonly PortalSection[] = [
  apiKeys,
  createRecordSection(
    {
      resource: adminUser,
      path: '/portal/users',
      name: 'Admin users',
      purpose: 'They sign in to the portal and own API keys.',
      panel: userPanel,
      add: addUser,
      adapt: adaptUserField,
    },
    true,
  ),
  createRecordSection({
    resource: projectType,
    path: '/portal/project-types',
    name: 'Project types',
    purpose: 'They are the contract types that a project can have, such as Invoice Factoring.',
    hasCsv: true,
  }),
  createRecordSection({
    resource: sector,
    path: '/portal/sectors',
    name: 'Sectors',
    purpose: 'They divide an industry, such as Freight within Shipping.',
    hasCsv: true,
    pathOfOwner: INDUSTRIES,
  }),
  createRecordSection({
    resource: industry,
    path: INDUSTRIES,
    name: 'Industries',
    purpose: 'They group sectors, such as Shipping, so every sector needs one.',
    hasCsv: true,
  }),
  auditLog,
  securityLog,
  account,
];

/** The routes outside the sections. */
export const otherRoutes: readonly PortalRoute[] = [...signInRoutes, ...mailedLinkRoutes, imageRoute];
