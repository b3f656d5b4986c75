import { readInventory } from '../inventory/read-inventory.ts';
import type { Inventory } from '../model/target.ts';
import { parseSettings, readEnvironment } from '../settings.ts';

/** The inventory whose Alertmanagers a command calls, or what is wrong: one line each. */
export async function readAlertmanagers(
  config: string | undefined,
): Promise<
  { readonly ok: true; readonly inventory: Inventory } | { readonly ok: false; readonly problems: readonly string[] }
> {
  const environment = readEnvironment();
  const parsed = parseSettings(environment, { ...(config !== undefined && { config }) }, '127.0.0.1:0');
  if (!parsed.ok) return { ok: false, problems: parsed.problems.map((problem) => `subnetd: ${problem}`) };
  const { configPath } = parsed.settings;
  const read = await readInventory(configPath, environment);
  if (!read.ok) return read;
  if (read.inventory.alertmanager.urls.length > 0) return read;
  const line = 'alertmanager: { urls: [http://127.0.0.1:9093] }';
  return { ok: false, problems: [`${configPath}: no Alertmanager is named; add the line "${line}" with its address`] };
}
