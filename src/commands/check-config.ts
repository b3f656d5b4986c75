import { findWarnings } from '../inventory/find-warnings.ts';
import { readInventory } from '../inventory/read-inventory.ts';
import { readEnvironment } from '../settings.ts';
import type { ExitCode } from './exit-code.ts';
import { complain } from './report.ts';

/** `subnetd check-config FILE` */
export async function checkConfig(file: string): Promise<ExitCode> {
  const read = await readInventory(file, readEnvironment());
  if (!read.ok) {
    complain(read.problems);
    return 2;
  }
  complain(findWarnings(read.inventory).map((warning) => `${file}: warning: ${warning}`));
  const { subnets } = read.inventory;
  const targets = subnets.reduce((sum, subnet) => sum + subnet.targets.length, 0);
  process.stdout.write(`${file}: good, ${subnets.length} subnet(s) with ${targets} target(s)\n`);
  return 0;
}
