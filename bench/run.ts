import { benchAlerts } from './alerts.ts';
import { benchDaemon } from './daemon.ts';
import { benchFleet } from './fleet.ts';
import { benchGrowth } from './growth.ts';
import { benchInventory } from './inventory.ts';
import { benchLogs } from './logs.ts';
import { benchPages } from './pages.ts';
import { benchPlatform } from './platform.ts';
import { benchProbes } from './probes.ts';
import { benchReload } from './reload.ts';
import { benchScrape } from './scrape.ts';

/** Runs every benchmark, one after another, and prints what it measured as JSON. Ratios are what to compare. */
const results = {
  probes: await benchProbes(),
  scrape: await benchScrape(),
  alerts: benchAlerts(),
  fleet: benchFleet(),
  inventory: benchInventory(),
  reload: benchReload(),
  daemon: await benchDaemon(),
  growth: await benchGrowth(),
  pages: await benchPages(),
  logs: await benchLogs(),
  platform: await benchPlatform(),
};
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
