/** What the log says of each part of subnetd that breaks, by the part's name in the metrics. */
const SENTENCES = {
  probe: 'a probe broke',
  diagnosis: 'the diagnosis of a subnet broke, and what was last found in it stays',
  fleet: 'the fleet broke',
  history: 'recording the history broke',
  incidents: 'recording the incidents broke',
  alerts: 'the push of alerts broke',
  channel: 'a channel broke',
  mail: 'sending mails broke',
  inventory: 'the inventory could not be loaded; the previous one stays in force',
  page: 'a page broke',
  request: 'a request broke',
  api: 'a request of the platform API broke',
  stop: 'a part broke while it was stopping',
} as const;

export type BrokenPart = keyof typeof SENTENCES;

/** What people read of an error that only a bug explains. */
export const describeInternalError = (part: BrokenPart): string => `${SENTENCES[part]}; please report this`;

/** Names and ids that the log shows beside an error; no secrets. */
type About = Readonly<Record<string, unknown>>;

/** Takes an error that only a bug explains. */
export type OnBug = (error: unknown, about?: About) => void;

/** The same, with the part that broke. */
export type ReportBug = (error: unknown, part: BrokenPart, about?: About) => void;

/** The errors since the start that only a bug explains. */
export interface InternalErrors {
  /** Logs and counts an error. */
  readonly report: ReportBug;
  /** The same for one part. */
  readonly of: (part: BrokenPart) => OnBug;
  /** How many there were, by part; every part is there from the start. */
  readonly counts: ReadonlyMap<string, number>;
  readonly total: () => number;
}

/** The one place that logs and counts such errors. */
export function createInternalErrors(log: { error(fields: object, text: string): void }): InternalErrors {
  const counts = new Map(Object.keys(SENTENCES).map((part) => [part, 0]));
  const report: ReportBug = (error, part, about) => {
    counts.set(part, (counts.get(part) ?? 0) + 1);
    log.error({ ...about, err: error }, describeInternalError(part));
  };
  return {
    report,
    of: (part) => (error, about) => report(error, part, about),
    counts,
    total: () => counts.values().reduce((sum, count) => sum + count, 0),
  };
}
