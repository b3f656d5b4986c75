import { randomBytes } from 'node:crypto';
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { runDrill } from '../tell/notify/run-drill.ts';
import { type AlertmanagerFlags, readAlertmanagers } from './read-alertmanagers.ts';
import { type ExitCode, escapeText, printLine, refuse, report } from './report.ts';
import { untilSignal } from './until-signal.ts';

/** The flags of `subnetd drill`, as they are typed. */
export interface DrillFlags extends AlertmanagerFlags {
  readonly hold: string;
  readonly to?: readonly string[];
}

/** `subnetd drill`: sends a test alert to each Alertmanager, waits until it shows, and ends it; or to channels. */
export async function drill(flags: DrillFlags): Promise<ExitCode> {
  const holdMs = flags.hold === '0s' ? 0 : parseDuration(flags.hold);
  if (holdMs === undefined) return refuse('subnetd drill', '--hold must be a duration such as 30s, 5m or 1h');
  const stopping = new AbortController();
  const stopOnSignal = () => void untilSignal().then(() => stopping.abort());
  if (flags.to !== undefined) {
    if (flags.url !== undefined) return refuse('subnetd drill', 'give one of --to and --url');
    // Without a hold there is nothing to cut short.
    if (holdMs > 0) stopOnSignal();
    const { drillChannels } = await import('./drill-channels.ts');
    return drillChannels({ to: flags.to, config: flags.config, holdMs, signal: stopping.signal });
  }
  const read = await readAlertmanagers(flags);
  if (!read.ok) return refuse('subnetd drill', ...read.errors);
  stopOnSignal();
  const results = await runDrill({
    clients: read.clients,
    id: randomBytes(4).toString('hex'),
    now: Date.now,
    holdMs,
    signal: stopping.signal,
    onShown: ({ address, receivers, suppressed, afterMs }) => {
      printLine(
        `${address}: SubnetdDrill shows after ${formatDuration(afterMs)}, for the receivers: ${receivers.map(escapeText).join(', ')}`,
      );
      if (suppressed) printLine(`${address}: a silence or another alert suppresses it, so nobody is notified`);
    },
  });
  for (const result of results)
    if (result.ok) printLine(`${result.address}: SubnetdDrill has ended`);
    else report([`subnetd drill: ${result.why}`]);
  if (holdMs === 0 && results.some(({ ok }) => ok))
    printLine('It ended at once, before receivers were notified; --hold 2m keeps it firing until they are.');
  return results.every(({ ok }) => ok) ? 0 : 1;
}
