import type { Logger } from 'pino';
import { createEpisode } from './create-episode.ts';
import type { Listener } from './http/listen.ts';

/** An episode has ended when nothing has happened for this long. */
const QUIET_MS = 60_000;

/** Reports in the log, once an episode, that subnetd itself has run out of something. */
export function watchOwnLimits(listener: Listener, log: Logger): { readonly stop: () => void } {
  const crowded = createEpisode(QUIET_MS, {
    began: () =>
      log.warn(
        { max: listener.connections().max },
        'too many HTTP connections are open; each new one closes the one that is idle longest; find the client that opens them',
      ),
    ended: (dropped) => log.info({ dropped }, 'there is room for HTTP connections again'),
  });
  listener.setOnDropped(crowded.note);
  return { stop: crowded.stop };
}
