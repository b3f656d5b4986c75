import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { formatDuration } from '../lib/duration.ts';
import { createDeliver } from '../tell/notify/channels/create-deliver.ts';
import { formatChannel } from '../tell/notify/channels/delivery.ts';
import { createPoster } from '../tell/notify/channels/post.ts';
import { runChannelDrill } from '../tell/notify/channels/run-channel-drill.ts';
import { readInventory } from '../watch/inventory/read-inventory.ts';
import { type ExitCode, printLine, quote, refuse, report } from './report.ts';

/** What a drill of channels needs. */
export interface ChannelDrillFlags {
  readonly to: readonly string[];
  readonly config?: string | undefined;
  readonly holdMs: number;
  /** Ends the time that the alert fires. */
  readonly signal: AbortSignal;
}

/** `subnetd drill --to NAME`: sends a test alert and its end through channels of the inventory. */
export async function drillChannels({ to, config, holdMs, signal }: ChannelDrillFlags): Promise<ExitCode> {
  const environment = readEnvironment();
  const parsed = parseSettings(environment, { ...(config !== undefined && { config }) }, '127.0.0.1:0');
  if (!parsed.ok) return refuse('subnetd drill', ...parsed.errors);
  const { configPath, instance, platform } = parsed.settings;
  const read = await readInventory(configPath, environment);
  if (!read.ok) return refuse('subnetd drill', ...read.errors);
  const { channels = [] } = read.inventory;
  const known =
    channels.length === 0 ? 'it names none under notify' : `it names ${channels.map(({ name }) => name).join(', ')}`;
  const unknown = to.filter((name) => !channels.some((channel) => channel.name === name));
  if (unknown.length > 0)
    return refuse(
      'subnetd drill',
      ...unknown.map((name) => `${configPath}: there is no channel ${quote(name)}; ${known}`),
    );

  const poster = createPoster();
  try {
    const results = await Promise.all(
      channels
        .filter(({ name }) => to.includes(name))
        .map((channel) =>
          runChannelDrill({
            channel: channel.name,
            deliver: createDeliver(channel, { poster, now: Date.now, mail: platform.mail }),
            instance,
            now: Date.now,
            holdMs,
            signal,
            onSent: (phase, delivery, ms) => {
              if (!delivery.ok) return report([`subnetd drill: ${delivery.why}`]);
              const what = phase === 'firing' ? 'the test alert' : 'its end';
              printLine(`${formatChannel(channel)}: ${what} was accepted after ${formatDuration(ms)}`);
              if (delivery.warning !== undefined) report([`subnetd drill: ${delivery.warning}`]);
            },
          }),
        ),
    );
    return results.every(Boolean) ? 0 : 1;
  } finally {
    poster.close();
  }
}
