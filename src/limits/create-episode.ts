/** What is reported of an episode. */
export interface EpisodeReports {
  /** At its first event. */
  readonly began: () => void;
  /** When nothing has happened for the quiet time, with how often it did. */
  readonly ended: (events: number) => void;
}

/** Something that may happen a thousand times a second, and is reported twice: when it begins and when it has ended. */
export interface Episode {
  readonly note: () => void;
  readonly stop: () => void;
}

/** Makes an episode that ends when nothing has happened for `quietMs`. */
export function createEpisode(quietMs: number, { began, ended }: EpisodeReports): Episode {
  let events = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    note: () => {
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
    stop: () => clearTimeout(timer),
  };
}
