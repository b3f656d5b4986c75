import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { findUrlFault } from '../lib/addresses.ts';
import type { Inventory } from '../model/target.ts';
import { type Client, createClient } from '../tell/notify/create-client.ts';
import { BY_FLAG } from '../tell/notify/describe-failure.ts';
import { readInventory } from '../watch/inventory/read-inventory.ts';

/** The flags by which a command finds the Alertmanagers. */
export interface AlertmanagerFlags {
  readonly url?: readonly string[];
  readonly config?: string;
}

/** The Alertmanagers for a command, with the inventory that names them; or errors, one line each. */
export type FoundAlertmanagers =
  | { readonly ok: true; readonly clients: readonly Client[]; readonly inventory?: Inventory }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Finds the Alertmanagers by the flags, else by the inventory, at least one unless `mayBeNone`. The caller closes the clients. */
export async function readAlertmanagers(
  { url, config }: AlertmanagerFlags,
  { mayBeNone = false }: { readonly mayBeNone?: boolean } = {},
): Promise<FoundAlertmanagers> {
  if (url !== undefined) {
    if (config !== undefined) return { ok: false, errors: ['give one of --url and --config'] };
    const help = '--url must be an address such as http://127.0.0.1:9093';
    const fault = url.map((text) => findUrlFault(text)).find((found) => found !== undefined);
    if (fault !== undefined) return { ok: false, errors: [`${help}; ${fault}`] };
    if (url.some((text) => !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))) return { ok: false, errors: [help] };
    return { ok: true, clients: url.map((one) => createClient(one, {}, { settings: BY_FLAG })) };
  }
  const environment = readEnvironment();
  const parsed = parseSettings(environment, { config }, '127.0.0.1:0');
  if (!parsed.ok) return parsed;
  const { configPath } = parsed.settings;
  const read = await readInventory(configPath, environment);
  if (!read.ok) return read;
  const { urls, ...login } = read.inventory.alertmanager;
  if (urls.length > 0 || mayBeNone)
    return { ok: true, clients: urls.map((one) => createClient(one, login)), inventory: read.inventory };
  const line = 'alertmanager: { urls: [http://127.0.0.1:9093] }';
  const { channels = [] } = read.inventory;
  const way =
    channels.length === 0
      ? 'give --url'
      : `give --url; a drill goes to a channel with --to, as in --to ${channels[0]?.name}`;
  return {
    ok: false,
    errors: [`${configPath}: no Alertmanager is named; add the line "${line}" with its address, or ${way}`],
  };
}
