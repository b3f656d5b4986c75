import { type Environment, readEnvironment } from '../daemon/settings.ts';
import { formatCount } from '../lib/words.ts';
import type { Inventory } from '../model/target.ts';
import { findFileErrors } from '../tell/notify/channels/secrets.ts';
import { findWarnings } from '../watch/inventory/find-warnings.ts';
import { readInventory } from '../watch/inventory/read-inventory.ts';
import { type ExitCode, report, toJson } from './report.ts';

/** Channels for mails whose server only the environment of the daemon could name, and this one does not. */
const findMissingServers = ({ channels = [] }: Inventory, environment: Environment): readonly string[] =>
  channels.flatMap(({ target }, index) =>
    target.kind === 'email' && target.smtpUrlFile === undefined && !environment.SUBNETD_SMTP_URL
      ? [
          `notify[${index}].email: no mail server is known here; set SUBNETD_SMTP_URL for the daemon, or name one with smtpUrlFile`,
        ]
      : [],
  );

/** `subnetd check-config FILE`: every error, or what the inventory has; with `--json` both as one JSON object. */
export async function checkConfig(file: string, { json }: { readonly json?: boolean } = {}): Promise<ExitCode> {
  const environment = readEnvironment();
  const read = await readInventory(file, environment, ({ channels = [] }) => findFileErrors(channels));
  const print = (result: object) => process.stdout.write(`${toJson({ file, ok: read.ok, ...result }, 2)}\n`);
  if (!read.ok) {
    if (json) print({ errors: read.inventoryErrors });
    else report(read.errors);
    return 2;
  }
  const warnings = [...findWarnings(read.inventory, Date.now()), ...findMissingServers(read.inventory, environment)];
  const { subnets } = read.inventory;
  const targets = subnets.reduce((sum, subnet) => sum + subnet.targets.length, 0);
  if (json) {
    print({ warnings, subnets: subnets.length, targets });
    return 0;
  }
  report(warnings.map((warning) => `${file}: warning: ${warning}`));
  process.stdout.write(
    `${file}: good, ${formatCount(subnets.length, 'subnet', 'subnets')} with ${formatCount(targets, 'target', 'targets')}\n`,
  );
  return 0;
}
