import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../lib/clock.ts';
import { isDatabaseFailure } from '../../../lib/database-failure.ts';
import type { Channel } from '../../../model/channel.ts';
import type { FleetPart } from '../../../model/fleet.ts';
import { createInhibition } from '../../alerts/inhibit-rules.ts';
import { mayNotify, type TrackedAlerts } from '../../alerts/tracked-alert.ts';
import { createSharedSaver } from '../create-shared-saver.ts';
import { groupKey, type NotifiedGroup, type NotifiedStore } from '../notified-alert.ts';
import { convertTrackedAlerts } from '../tracked-alerts.ts';
import { type AlertGroups, type ChannelDeps, type ChannelLife, createChannel } from './create-channel.ts';
import type { Deliver } from './delivery.ts';
import type { FiringAlert } from './plan-message.ts';

/** All channels of an inventory. */
export interface Channels {
  /** Replaces the channels. One whose settings stay the same goes on. */
  set(channels: readonly Channel[]): void;
  /**
   * What fires now, in watched time. `isWhole`: the alerts of an earlier run are among them; in a fleet, `isJudged` says that of
   * each subnet. Resolves when what is due was sent, or could not be, and is stored.
   */
  update(trackedAlerts: TrackedAlerts, isWhole: boolean, isJudged?: (subnet: string) => boolean): Promise<void>;
  stop(withinMs: number): Promise<void>;
}

/** What the channels need. */
export interface ChannelsDeps extends Omit<ChannelDeps, 'channel' | 'deliver' | 'now' | 'onChange'> {
  readonly clock: Clock;
  /** Rejects while the database is down: what was sent is then kept in memory only. */
  readonly store: () => Promise<NotifiedStore>;
  /** In a fleet: what its instances share, which is all that is about subnets. */
  readonly fleet?: { readonly part: FleetPart; readonly store: () => Promise<NotifiedStore> } | undefined;
  readonly createDeliver: (channel: Channel) => Deliver;
  /** How long the first message waits for what an earlier run has stored. */
  readonly firstWithinMs?: number;
}

const FIRST_WITHIN_MS = 30_000;

/** The firing alerts by group and key, in wall time, each with what holds it back. */
export function groupAlerts(
  trackedAlerts: TrackedAlerts,
  now: number,
  isOwn: AlertGroups['isOwn'] = () => true,
  isSpeaker = true,
): AlertGroups {
  const all = [...trackedAlerts].filter(([, { phase }]) => phase === 'firing');
  const isInhibited = createInhibition(all.filter(([, alert]) => mayNotify(alert)).map(([, { labels }]) => labels));
  const firing = new Map<string, Map<string, FiringAlert>>();
  for (const [key, alert] of all) {
    const { labels, firedAt = alert.activeAt } = alert;
    const group = labels.subnet ?? '';
    const members = firing.get(group) ?? new Map<string, FiringAlert>();
    // Every instance of a fleet sees the same of another shard, and one of them notifies of it.
    const isLeftToSpeaker = labels.shard !== undefined && !isSpeaker;
    members.set(key, { ...alert, firedAt, isWithheld: isLeftToSpeaker || isInhibited(labels) || !mayNotify(alert) });
    firing.set(group, members);
  }
  return { firing, endsAt: (key) => trackedAlerts.get(key)?.resolvedAt ?? now, isOwn };
}

/** Starts without a channel. */
export function createChannels(deps: ChannelsDeps): Channels {
  const { clock, store, createDeliver, firstWithinMs = FIRST_WITHIN_MS } = deps;
  const startedAt = clock.now();
  const wallNow = () => clock.toWall(clock.now());
  let lives: readonly ChannelLife[] = [];
  /** What the database has; undefined until it was read. */
  let saved: ReadonlyMap<string, NotifiedGroup> | undefined;
  let isChanged = false;

  const allGroups = () => lives.flatMap((life) => life.groups());
  const toGroups = (groups: readonly NotifiedGroup[]) => new Map(groups.map((one) => [groupKey(one), one] as const));
  const current = () => toGroups(deps.fleet ? allGroups().filter(({ group }) => group === '') : allGroups());
  const shared =
    deps.fleet &&
    createSharedSaver<NotifiedGroup>({
      ...deps.fleet,
      isWanted: deps.fleet.part.keeps,
      current: () => toGroups(allGroups().filter(({ group }) => group !== '')),
      keyOf: groupKey,
      subnetOf: ({ group }) => group,
      isSame: isDeepStrictEqual,
      onRead: (stored) => {
        for (const life of lives) life.restore(stored);
      },
      onBug: deps.onBug,
    });

  const save = async () => {
    try {
      const database = await store();
      if (saved === undefined) {
        const read = await database.load();
        saved = new Map(read.map((one) => [groupKey(one), one]));
        const own = deps.fleet ? read.filter(({ group }) => group === '') : read;
        for (const life of lives) life.restore(own);
      }
      do {
        isChanged = false;
        const groups = current();
        const before: ReadonlyMap<string, NotifiedGroup> = saved;
        const changed = new Map([...groups].filter(([key, group]) => !isDeepStrictEqual(before.get(key), group)));
        const gone = [...before.keys()].filter((key) => !groups.has(key));
        if (changed.size + gone.length > 0) await database.save(changed, gone);
        saved = groups;
        // A message that was accepted meanwhile must not be sent again after a crash.
      } while (isChanged);
    } catch (error) {
      // The database link reports an outage; the next update tries again.
      isChanged = true;
      if (!isDatabaseFailure(error)) deps.onBug(error);
    }
  };
  let saving: Promise<void> | undefined;
  const saveSoon = () => {
    saving ??= save().finally(() => {
      saving = undefined;
    });
  };

  return {
    set: (channels) => {
      const before = new Map(lives.map((life) => [life.channel.name, life]));
      lives = channels.map((channel) => {
        const known = before.get(channel.name);
        if (known !== undefined && isDeepStrictEqual(known.channel, channel)) return known;
        const life = createChannel({
          ...deps,
          channel,
          now: wallNow,
          deliver: createDeliver(channel),
          onChange: () => {
            isChanged = true;
            saveSoon();
            void shared?.save();
          },
        });
        life.restore(known?.groups() ?? []);
        return life;
      });
      for (const life of before.values()) if (!lives.includes(life)) void life.stop(0);
      isChanged = true;
    },
    update: async (trackedAlerts, isWhole, isJudged = () => true) => {
      if (lives.length === 0) return;
      const { keeps, isSpeaker } = deps.fleet?.part ?? {};
      for (const life of lives) life.forget((group) => group !== '' && keeps?.(group) === false);
      void shared?.save();
      if (saved === undefined || isChanged) saveSoon();
      // At the start, what an earlier run has noted comes first.
      if (saved === undefined) await saving;
      if ((saved === undefined || !isWhole) && clock.now() - startedAt < firstWithinMs) return;
      const isOwn = (group: string) =>
        group === '' || shared === undefined || (shared.isKept(group) && isJudged(group));
      const inWallTime = convertTrackedAlerts(trackedAlerts, clock.toWall);
      const groups = groupAlerts(inWallTime, wallNow(), isOwn, isSpeaker?.());
      await Promise.all(lives.map((life) => life.update(groups)));
      await saving;
    },
    stop: async (withinMs) => {
      await Promise.all(lives.map((life) => life.stop(withinMs)));
      await saving;
      await Promise.all([save(), shared?.stop()]);
    },
  };
}
