import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../lib/clock.ts';
import type { Channel } from '../../../model/channel.ts';
import type { FleetPart } from '../../../model/fleet.ts';
import { createInhibition } from '../../alerts/inhibit-rules.ts';
import { mayNotify, type TrackedAlert, type TrackedAlerts } from '../../alerts/tracked-alert.ts';
import { createStateSaver } from '../create-state-saver.ts';
import { groupKey, type NotifiedGroup, type NotifiedStore } from '../notified-alert.ts';
import { convertTrackedAlerts } from '../tracked-alerts.ts';
import { type AlertGroups, type ChannelDeps, type ChannelLife, createChannel } from './create-channel.ts';
import type { Deliver } from './delivery.ts';
import { type FiringAlert, waitOf } from './plan-message.ts';

/** All channels of an inventory. */
export type Channels = ReturnType<typeof createChannels>;

/** What the channels need. */
export interface ChannelsDeps extends Omit<ChannelDeps, 'channel' | 'deliver' | 'now' | 'onChange'> {
  readonly clock: Clock;
  readonly part: FleetPart;
  /** Rejects while the database is down: what was sent is then kept in memory only. */
  readonly store: () => Promise<NotifiedStore>;
  readonly createDeliver: (channel: Channel) => Deliver;
}

/** The alerts that fire, or may do so still, by group and key, in wall time, each with what holds it back. */
export function groupAlerts(
  trackedAlerts: TrackedAlerts,
  now: number,
  isOwn: AlertGroups['isOwn'] = () => true,
  isSpeaker = true,
): AlertGroups {
  const mayFire = ({ phase, isDoubted }: TrackedAlert): boolean => phase === 'firing' || isDoubted === true;
  const isTold = (alert: TrackedAlert) => alert.phase === 'firing' && mayNotify(alert);
  const all = [...trackedAlerts].filter(([, alert]) => mayFire(alert));
  // What cleared before anybody was told of it stands for nothing.
  const wasShort = ({ labels, details, seenAt, firedAt = seenAt }: TrackedAlert) =>
    details?.isClearing === true && seenAt - firedAt < waitOf(labels);
  const inhibits = (alert: TrackedAlert) => isTold(alert) && alert.isSuspected !== true && !wasShort(alert);
  const isInhibited = createInhibition(all.map(([, alert]) => alert).filter(inhibits));
  const firing = new Map<string, Map<string, FiringAlert>>();
  for (const [key, alert] of all) {
    const { labels, firedAt = alert.activeAt } = alert;
    const group = labels.subnet ?? '';
    const members = firing.get(group) ?? new Map<string, FiringAlert>();
    // Every instance of a fleet sees the same of another shard, and one of them notifies of it.
    const isLeftToSpeaker = labels.shard !== undefined && !isSpeaker;
    members.set(key, {
      ...alert,
      firedAt,
      isWithheld: isLeftToSpeaker || isInhibited(alert) || !isTold(alert) || alert.isCovered === true,
    });
    firing.set(group, members);
  }
  const endOf = (key: string) => {
    const { resolvedAt = now, details, seenAt = now, overAt } = trackedAlerts.get(key) ?? {};
    return { endsAt: resolvedAt, endedAs: details && { details, seenAt, overAt } };
  };
  return { firing, endOf, isOwn };
}

/** Starts without a channel. */
export function createChannels(deps: ChannelsDeps) {
  const { clock, part, createDeliver } = deps;
  const wallNow = () => clock.toWall(clock.now());
  let lives: readonly ChannelLife[] = [];
  const saver = createStateSaver<NotifiedGroup>({
    ...deps,
    now: clock.now,
    isWanted: part.keeps,
    current: () => new Map(lives.flatMap((life) => life.groups()).map((one) => [groupKey(one), one])),
    keyOf: groupKey,
    subnetOf: ({ group }) => group,
    isSame: isDeepStrictEqual,
    onRead: (stored) => {
      for (const life of lives) life.restore(stored);
    },
  });

  return {
    /** Replaces the channels. One whose settings stay the same goes on. */
    set: (channels: readonly Channel[]): void => {
      const before = new Map(lives.map((life) => [life.channel.name, life]));
      lives = channels.map((channel) => {
        const known = before.get(channel.name);
        if (known !== undefined && isDeepStrictEqual(known.channel, channel)) return known;
        const life = createChannel({
          ...deps,
          channel,
          now: wallNow,
          deliver: createDeliver(channel),
          onChange: () => void saver.save(),
        });
        life.restore(known?.groups() ?? []);
        return life;
      });
      for (const life of before.values()) if (!lives.includes(life)) void life.stop(0);
    },
    /**
     * What fires now, in watched time. `isJudged`: the alerts of a subnet, or without a name those of this instance, are there with what
     * is stored of them. Resolves when what is due was sent, or could not be, and is stored.
     */
    update: async (trackedAlerts: TrackedAlerts, isJudged: (subnet: string) => boolean): Promise<void> => {
      if (lives.length === 0) return;
      for (const life of lives) life.forget((group) => group !== '' && !part.keeps(group));
      // At the start, what an earlier run has noted comes first.
      if (!saver.isKnown('')) await saver.save();
      if (!saver.isKnown('') || !isJudged('')) return;
      const isOwn = (group: string) => group === '' || (saver.isKept(group) && isJudged(group));
      const inWallTime = convertTrackedAlerts(trackedAlerts, clock.toWall);
      const groups = groupAlerts(inWallTime, wallNow(), isOwn, part.isSpeaker());
      await Promise.all(lives.map((life) => life.update(groups)));
      await saver.save();
    },
    stop: async (withinMs: number): Promise<void> => {
      await Promise.all(lives.map((life) => life.stop(withinMs)));
      await saver.save();
    },
  };
}
