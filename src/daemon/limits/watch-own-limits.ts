import type { Logger } from 'pino';
import type { Inventory } from '../../model/target.ts';
import { RAISE_DESCRIPTORS } from '../../watch/clients/commands-to-type.ts';
import type { Listener } from '../../web/listen.ts';
import { createEpisode } from './create-episode.ts';
import { descriptorsFor, hasDescriptor } from './descriptors.ts';

/** The quiet period that ends an episode. */
const QUIET_MS = 60_000;

const CHECK_EVERY_MS = 1_000;

/** Warns if the limit of file descriptors is too small for the inventory. */
export function warnOfDescriptors(inventory: Inventory, limit: number | undefined, log: Logger): void {
  const needed = descriptorsFor(inventory);
  if (limit !== undefined && limit < needed)
    log.warn(
      { limit, needed },
      `subnetd may open ${limit} file descriptors and would use ${needed} for this inventory, so it opens fewer at once and rounds may be late; raise the limit ${RAISE_DESCRIPTORS}`,
    );
}

/** Logs once per episode that subnetd itself has run out of descriptors or connections. */
export function watchOwnLimits(
  listener: Listener,
  limit: number | undefined,
  log: Logger,
): { readonly stop: () => void } {
  const crowded = createEpisode(QUIET_MS, {
    began: () =>
      log.warn(
        { max: listener.connections().max },
        'too many HTTP connections are open; each new one closes the longest idle one; find the client that opens them',
      ),
    ended: (dropped) => log.info({ dropped }, 'there is room for HTTP connections again'),
  });
  listener.setOnDropped(crowded.record);

  const exhausted = createEpisode(QUIET_MS, {
    began: () =>
      log.error(
        { limit },
        `subnetd has run out of file descriptors, so checks are unknown and log files are not read; raise the limit ${RAISE_DESCRIPTORS}`,
      ),
    ended: () => log.info({ limit }, 'subnetd has file descriptors again'),
  });
  const timer = setInterval(() => {
    if (!hasDescriptor()) exhausted.record();
  }, CHECK_EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      crowded.stop();
      exhausted.stop();
    },
  };
}
