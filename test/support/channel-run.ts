import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel, ChannelTarget } from '../../src/model/channel.ts';
import type { FleetPart } from '../../src/model/fleet.ts';
import type { AlertIncidents } from '../../src/tell/alerts/alert-incidents.ts';
import type { TrackedAlert } from '../../src/tell/alerts/tracked-alert.ts';
import { createChannels } from '../../src/tell/notify/channels/create-channels.ts';
import { createDeliver, type DeliverDeps } from '../../src/tell/notify/channels/create-deliver.ts';
import { createPoster } from '../../src/tell/notify/channels/post.ts';
import { groupKey, type NotifiedGroup, type NotifiedStore } from '../../src/tell/notify/notified-alert.ts';
import { alertsOf } from './alerts-at.ts';
import { createFakePart } from './fake-part.ts';
import { createHandClock } from './hand-clock.ts';
import { NO_INCIDENTS } from './no-incidents.ts';

/** What a database keeps, in memory. */
export function createNotifiedMemory(): NotifiedStore & { readonly rows: Map<string, NotifiedGroup> } {
  const rows = new Map<string, NotifiedGroup>();
  return {
    rows,
    load: async () => structuredClone([...rows.values()]),
    save: async (changed, gone) => {
      for (const [key, group] of changed) rows.set(key, structuredClone(group));
      for (const key of gone) rows.delete(key);
    },
  };
}

/** A folder with files that hold secrets. */
export function createSecrets() {
  const folder = mkdtempSync(join(tmpdir(), 'subnetd-secrets-'));
  return {
    write: (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Channels as one process of subnetd runs them, on a clock that a test moves. */
export function runChannels(
  target: ChannelTarget | readonly Channel[],
  {
    store = createNotifiedMemory(),
    time = createHandClock(),
    timeoutMs = 20_000,
    part = createFakePart('devnet', 'other'),
    incidents,
    ...more
  }: {
    readonly store?: NotifiedStore | (() => Promise<NotifiedStore>);
    readonly time?: ReturnType<typeof createHandClock>;
    readonly timeoutMs?: number;
    readonly part?: FleetPart;
    readonly incidents?: Partial<AlertIncidents>;
  } & Partial<DeliverDeps> = {},
) {
  const counts = { sent: 0, failed: 0, dropped: 0 };
  const heard: string[] = [];
  const accepted: string[] = [];
  const poster = createPoster({ timeoutMs });
  const channels = createChannels({
    clock: time.clock,
    instance: 'one',
    part,
    incidents: { ...NO_INCIDENTS, ...incidents },
    counts,
    store: typeof store === 'function' ? store : async () => store,
    createDeliver: (channel) => createDeliver(channel, { ...more, poster, now: time.wall }),
    onFailure: (why) => heard.push(why),
    onWarning: (why) => heard.push(why),
    onRecovery: (channel) => heard.push(`${channel} works`),
    onDropped: (channel, labels) => heard.push(`${channel} never got ${labels.name}`),
    onAccepted: (labels, phase, to) => accepted.push(`${to} ${labels.name} ${phase}`),
    onBug: (error) => heard.push(`a bug: ${error}`),
  });
  channels.set(
    'kind' in target ? [{ name: 'ops', target, severities: ['critical', 'warning'], repeatMs: 4 * 3_600_000 }] : target,
  );
  let alerts: readonly TrackedAlert[] = [];
  let isJudged = true;
  return {
    channels,
    counts,
    heard,
    accepted,
    time,
    set: (...next: readonly TrackedAlert[]) => {
      alerts = next;
    },
    setJudged: (next: boolean) => {
      isJudged = next;
    },
    /** Time passes, with an update every five seconds as the push makes it. */
    run: async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 5) {
        time.run(Math.min(left, 5) * 1_000);
        await channels.update(alertsOf(...alerts), (subnet) => subnet === '' || isJudged);
      }
    },
    stop: async () => {
      await channels.stop(1_000);
      await poster.close();
    },
  };
}

/** The key under which the group of `devnet` of the channel `ops` is stored. */
export const DEVNET = groupKey({ channel: 'ops', group: 'devnet' });
