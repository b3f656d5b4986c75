import { findWarnings } from '../inventory/find-warnings.ts';
import { readInventory } from '../inventory/read-inventory.ts';
import { findFileErrors } from '../notify/channels/check-files.ts';
import { readEnvironment } from '../settings.ts';
import { toJson } from './quote.ts';
import { type ExitCode, report } from './report.ts';

/** `subnetd check-config FILE`: every error, or what the inventory has; with `--json` both as one JSON object. */
export async function checkConfig(file: string, { json }: { readonly json?: boolean } = {}): Promise<ExitCode> {
  const read = await readInventory(file, readEnvironment(), ({ channels = [] }) => findFileErrors(channels));
  const print = (result: object) => process.stdout.write(`${toJson({ file, ok: read.ok, ...result }, 2)}\n`);
  if (!read.ok) {
    if (json) print({ errors: read.inventoryErrors });
    else report(read.errors);
    return 2;
  }
  const warnings = findWarnings(read.inventory, Date.now());
  const { subnets } = read.inventory;
  const targets = subnets.reduce((sum, subnet) => sum + subnet.targets.length, 0);
  if (json) {
    print({ warnings, subnets: subnets.length, targets });
    return 0;
  }
  report(warnings.map((warning) => `${file}: warning: ${warning}`));
  process.stdout.write(`${file}: good, ${subnets.length} subnet(s) with ${targets} target(s)\n`);
  return 0;
}
