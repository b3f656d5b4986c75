import type { Logger } from 'pino';
import { type Channels, type ChannelsDeps, createChannels } from './create-channels.ts';
import { createDeliver, type DeliverDeps } from './create-deliver.ts';
import { createPoster } from './post.ts';
import { startButtons } from './start-buttons.ts';

/** What the channels of the daemon need. */
export interface StartChannelsDeps
  extends Pick<ChannelsDeps, 'clock' | 'part' | 'store' | 'instance' | 'counts' | 'incidents' | 'onAccepted' | 'onBug'>,
    Omit<DeliverDeps, 'poster' | 'now'> {
  readonly log: Logger;
}

/** Starts without a channel. */
export function startChannels({ log, ...deps }: StartChannelsDeps): Channels {
  const { clock } = deps;
  const poster = createPoster();
  const buttons = startButtons({
    acknowledge: deps.incidents.acknowledge,
    isSpeaker: deps.part.isSpeaker,
    onFailure: (why) => log.warn({ why }, 'pressed buttons cannot be read; subnetd tries again'),
    onBug: deps.onBug,
  });
  const channels = createChannels({
    ...deps,
    createDeliver: (channel) => createDeliver(channel, { ...deps, poster, now: () => clock.toWall(clock.now()) }),
    onFailure: (why) => log.warn({ why }, 'alerts cannot be sent through a channel; subnetd tries again'),
    onWarning: (why) => log.warn({ why }, 'alerts were sent through a channel, but not to everybody'),
    onRecovery: (channel) => log.info({ channel }, 'alerts are sent through the channel again'),
    onDropped: (channel, alert) =>
      log.warn({ channel, alert }, 'an alert has ended and could not be sent through a channel; it is given up'),
  });
  return {
    ...channels,
    set: (next) => {
      for (const { name, target } of next)
        if (target.kind === 'email' && target.smtpUrlFile === undefined && deps.mail === undefined)
          log.warn(
            { channel: name },
            'the channel has no mail server; set SUBNETD_SMTP_URL, or name one with smtpUrlFile',
          );
      channels.set(next);
      buttons.set(next);
    },
    stop: async (withinMs) => {
      buttons.stop();
      await channels.stop(withinMs);
      poster.close();
    },
  };
}
