import type { Fleet } from '../fleet/create-fleet.ts';
import type { WallMs, WatchedMs } from '../lib/clock.ts';
import { type Loaded, loadOnce } from '../lib/promises.ts';
import type { Incidents } from '../model/incident.ts';
import type { Services } from '../platform/api/create-services.ts';
import type { Portal, PortalDeps } from '../platform/portal/create-portal.ts';
import type { HistoryLink } from '../tell/history/start-history.ts';
import type { IncidentsLink } from '../tell/incidents/start-incidents.ts';
import type { Scrapes } from '../tell/metrics/create-scrapes.ts';
import type { Monitor } from '../watch/monitor/create-monitor.ts';
import type { OwnState } from '../web/pages/banner.ts';
import type { Pages } from '../web/pages/create-pages.ts';
import type { AppOptions } from './app-options.ts';

/** The parts of the program that its pages show. */
export interface ShownParts {
  readonly options: AppOptions;
  readonly startedAt: WatchedMs;
  /** When a round was last late; undefined before. */
  readonly lateAt: () => WatchedMs | undefined;
  readonly lastReload: () => OwnState['reload'];
  readonly isDatabaseUp: () => boolean;
  readonly monitor: Monitor;
  readonly fleet: Fleet;
  readonly history: HistoryLink;
  readonly incidents: Incidents & Pick<IncidentsLink, 'addAcknowledgements'>;
  readonly scrapes: Scrapes;
  readonly onBug: (error: unknown) => void;
}

/** Nobody may ever look at a page, so the pages are loaded for the first who does. */
export function loadPages(parts: ShownParts): Loaded<Pages> {
  const { options, startedAt, lateAt, lastReload, isDatabaseUp, monitor, fleet, history, incidents, scrapes } = parts;
  const { now, toWall } = options.clock;
  const lateAtWall = (): WallMs | undefined => {
    const at = lateAt();
    return at === undefined ? undefined : toWall(at);
  };
  return loadOnce(async () => {
    const { createPages } = await import('../web/pages/create-pages.ts');
    return createPages({
      own: () => ({
        version: options.build.version,
        startedAt: toWall(startedAt),
        reload: lastReload(),
        engines: monitor.enginesUp(),
        isDatabaseUp: isDatabaseUp(),
        lateAt: lateAtWall(),
        scrapedAt: scrapes.lastAt(),
      }),
      snapshot: () => incidents.addAcknowledgements(monitor.snapshot()),
      fleet: fleet.view,
      history,
      matchingLines: monitor.matchingLines,
      mayRestart: monitor.restarts.judge,
      outside: { grafanaUrl: options.grafanaUrl, prometheusUrl: options.prometheusUrl },
      mayProbe: options.checkUser !== undefined,
      incidents,
      publicUrl: options.publicUrl,
      now,
      toWall,
      onBug: parts.onBug,
    });
  });
}

/** Loads the portal for the first who asks for a page of it. */
export const loadPortal = (
  api: { readonly services: () => Promise<Services> },
  deps: Omit<PortalDeps, 'services'>,
): Loaded<Portal> =>
  loadOnce(async () => {
    const [{ createPortal }, services] = await Promise.all([
      import('../platform/portal/create-portal.ts'),
      api.services(),
    ]);
    return createPortal({ services, ...deps });
  });
