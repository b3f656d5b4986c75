import { collectGarbageSoon } from '../lib/process.ts';
import { settleWithin } from '../lib/promises.ts';
import type { Inventory } from '../model/target.ts';
import { toReloadChanges } from '../tell/history/change-subject.ts';
import { findWarnings } from '../watch/inventory/find-warnings.ts';
import { readInThread } from '../watch/inventory/read-in-thread.ts';
import type { App, AppOptions } from './app-options.ts';
import { warnOfDescriptors, watchOwnLimits } from './limits/watch-own-limits.ts';
import { openStore } from './open-store.ts';
import { startWatch } from './start-watch.ts';
import { startWeb } from './start-web.ts';

/**
 * Time limits for the parts, then for the database, to which the parts write until then. The promise for all is 5 s.
 */
const PARTS_MS = 3_000;
const DATABASE_MS = 900;

/** Wires the parts and starts them. With a bad inventory, it returns its errors instead. */
export async function startApp(
  options: AppOptions,
): Promise<{ readonly ok: true; readonly app: App } | { readonly ok: false; readonly errors: readonly string[] }> {
  const { log, listener, descriptorLimit } = options;
  const first = await readInThread(options.configPath, options.environment);
  if (!first.ok) return first;
  const store = openStore(options);
  const { bugs, database, mailer, wall } = store;
  const watch = startWatch(options, store, first.hash);
  const { fleet, monitor, history, incidents, push, heartbeats, plannedWork, reloader } = watch;
  const web = startWeb(options, store, watch);

  /** Loads a whole inventory, of which it returns what is watched here, or throws and changes nothing. */
  const load = (whole: Inventory) => {
    const inventory = fleet.load(whole);
    incidents.readStored();
    for (const warning of findWarnings(inventory, wall())) log.warn(warning);
    warnOfDescriptors(inventory, descriptorLimit, log);
    return inventory;
  };
  /** Loads a later inventory, which each subnet's history then shows. */
  const reload = (whole: Inventory) => {
    history.note(toReloadChanges(load(whole), wall()));
  };
  load(first.inventory);
  const ownLimits = watchOwnLimits(listener, descriptorLimit, log);
  reloader.start(first.text, reload);
  // A daemon at rest hardly collects its heap: what the start leaves there would stay for hours.
  collectGarbageSoon();

  const end = async (part: string, withinMs: number, ended: Promise<unknown>) => {
    ended.catch((error: unknown) => bugs.report(error, 'stop', { part }));
    if (!(await settleWithin(withinMs, ended)))
      log.warn({ part }, 'a component did not stop in time and was abandoned');
  };
  const stop = async () => {
    reloader.stop();
    await Promise.all([
      end('the history', PARTS_MS, history.stop()),
      end('the incidents', PARTS_MS, incidents.stop()),
      end('the monitor', PARTS_MS, monitor.stop()),
      end('the push of alerts', PARTS_MS, push.stop()),
      end('the heartbeats', PARTS_MS, heartbeats.stop()),
      end('the fleet', PARTS_MS, fleet.stop()),
      end('the planned work', PARTS_MS, plannedWork.stop()),
      end('the mailer', PARTS_MS, mailer?.stop() ?? Promise.resolve()),
      end('the server', PARTS_MS, web.stop()),
    ]);
    ownLimits.stop();
    await end('the database', DATABASE_MS, web.stopApi().then(database.stop));
  };
  return { ok: true, app: { status: web.status, reload: reloader.reload, stop } };
}
