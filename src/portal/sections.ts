import { account } from './pages/account.ts';
import { signInRoutes } from './pages/sign-in.ts';
import type { PortalRoute, PortalSection } from './visit.ts';

/** The sections of the portal, in the order of the side navigation. The first is where a sign-in leads. */
export const sections: readonly PortalSection[] = [account];

/** The routes outside the sections. */
export const otherRoutes: readonly PortalRoute[] = [...signInRoutes];
