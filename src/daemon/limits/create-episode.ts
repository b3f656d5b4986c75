/** The two reports of an episode. */
export interface EpisodeReports {
  /** At its first event. */
  readonly began: () => void;
  /** After the quiet period, with the number of events. */
  readonly ended: (events: number) => void;
}

/**
 * Events that may come a thousand times a second, but are reported only at the first and after the last.
 * Creates an episode that ends `quietMs` after its last event.
 */
export function createEpisode(quietMs: number, { began, ended }: EpisodeReports) {
  let events = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    record: (): void => {
      events += 1;
      if (timer !== undefined) {
        timer.refresh();
        return;
      }
      began();
      timer = setTimeout(() => {
        timer = undefined;
        ended(events);
        events = 0;
      }, quietMs);
      timer.unref();
    },
    stop: (): void => clearTimeout(timer),
  };
}
