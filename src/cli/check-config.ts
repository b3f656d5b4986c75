import { findUnknownSettings } from '../daemon/find-unknown-settings.ts';
import { type Environment, parseConfigPath, readEnvironment } from '../daemon/settings.ts';
import { readBounded } from '../lib/bytes.ts';
import { formatCount } from '../lib/words.ts';
import type { Inventory } from '../model/target.ts';
import { findFileErrors } from '../tell/notify/channels/secrets.ts';
import { findWarnings } from '../watch/inventory/find-warnings.ts';
import { readInventory } from '../watch/inventory/read-inventory.ts';
import { MAX_BYTES } from '../watch/inventory/read-text.ts';
import { type ExitCode, refuse, report, toJson } from './report.ts';

/** Channels for mails whose server only the environment of the daemon could name, and this one does not. */
const findMissingServers = ({ channels = [] }: Inventory, environment: Environment): readonly string[] =>
  channels.flatMap(({ target }, index) =>
    target.kind === 'email' && target.smtpUrlFile === undefined && !environment.SUBNETD_SMTP_URL
      ? [
          `notify[${index}].email: no mail server is known here; set SUBNETD_SMTP_URL for the daemon, or name one with smtpUrlFile`,
        ]
      : [],
  );

/** The text of standard input. Rejects with EFBIG where a file of that size would. */
async function readStandardInput(): Promise<string> {
  const bytes = await readBounded(process.stdin, MAX_BYTES);
  if (bytes === undefined) throw Object.assign(new Error('EFBIG'), { code: 'EFBIG' });
  return bytes.toString('utf8');
}

/**
 * `subnetd check-config [FILE]`: every error, or what the inventory has; with `--json` both as one JSON object. `-` reads standard
 * input; without a file it is the one that the daemon would read.
 */
export async function checkConfig(
  given: string | undefined,
  { json }: { readonly json?: boolean } = {},
): Promise<ExitCode> {
  const environment = readEnvironment();
  const config = parseConfigPath(environment, given);
  if (!config.ok) return refuse('subnetd check-config', ...config.errors);
  const file = given === '-' ? 'standard input' : config.path;
  const readText = given === '-' ? readStandardInput : undefined;
  const read = await readInventory(file, environment, findFileErrors, readText);
  const print = (result: object) => process.stdout.write(`${toJson({ file, ok: read.ok, ...result }, 2)}\n`);
  if (!read.ok) {
    if (json) print({ errors: read.inventoryErrors });
    else report(read.errors);
    return 2;
  }
  const warnings = [
    ...findWarnings(read.inventory, Date.now()),
    ...findMissingServers(read.inventory, environment),
    ...findUnknownSettings(environment),
  ];
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
