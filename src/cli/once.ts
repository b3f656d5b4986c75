import { toStatus } from '../web/to-status.ts';
import { probeOnce } from './probe-once.ts';
import { type ExitCode, toJson } from './report.ts';
import { statusTable } from './status-table.ts';

/** `subnetd once`: runs every check once. */
export async function once(flags: { readonly config?: string; readonly json?: boolean }): Promise<ExitCode> {
  const probed = await probeOnce(flags, ['parent']);
  if (probed === undefined) return 2;
  const status = toStatus(probed.snapshot, probed.toWall);
  process.stdout.write(flags.json ? `${toJson(status, 2)}\n` : statusTable(status));
  const fails = status.subnets.some(({ targets }) =>
    targets.some(({ checks }) => checks.some(({ verdict }) => verdict === 'fail')),
  );
  return fails || probed.broke ? 1 : 0;
}
