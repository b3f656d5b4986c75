import { type Loaded, loadOnce } from '../../lib/promises.ts';
import type { Services } from '../api/create-services.ts';
import type { Portal, PortalDeps } from './create-portal.ts';

/** Loads the portal for the first who asks for a page of it. */
export const loadPortal = (
  api: { readonly services: () => Promise<Services> },
  deps: Omit<PortalDeps, 'services'>,
): Loaded<Portal> =>
  loadOnce(async () => {
    const [{ createPortal }, services] = await Promise.all([import('./create-portal.ts'), api.services()]);
    return createPortal({ services, ...deps });
  });
