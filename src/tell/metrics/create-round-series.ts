import type { RoundName } from '../../model/target.ts';
import { escapeLabel } from './family.ts';
import { describeFamily, type ExpositionFormat, formatLimit } from './text-formats.ts';

interface Round {
  readonly subnet: string;
  readonly round: RoundName;
  readonly labels: string;
  /** How many took at most as long as each limit; the last of all, however long. */
  readonly within: number[];
  seconds: number;
  late: number;
}

const DURATION = 'subnetd_round_duration_seconds';
const LATE = 'subnetd_rounds_late_total';

const HELP = {
  duration: 'How long the probes of a round took, without the deliberate spreading.',
  late: 'Late rounds: probes of the round before had not started, a target hung for more than an interval, or the schedule failed.',
} as const;

const LIMITS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const BUCKETS = [...LIMITS.map(formatLimit), '+Inf'].map((limit) => `${DURATION}_bucket{le="${limit}",`);

const countOf = ({ within }: Round): number => within.at(-1) ?? 0;

function formatDurations(round: Round, created: string | undefined): string {
  const { labels, within, seconds } = round;
  let text = '';
  for (const [index, bucket] of BUCKETS.entries()) text += `${bucket}${labels}} ${within[index]}\n`;
  text += `${DURATION}_sum{${labels}} ${seconds}\n${DURATION}_count{${labels}} ${countOf(round)}\n`;
  return created === undefined ? text : `${text}${DURATION}_created{${labels}} ${created}\n`;
}

const formatLate = ({ labels, late }: Round, created: string | undefined): string =>
  `${LATE}{${labels}} ${late}\n${created === undefined ? '' : `subnetd_rounds_late_created{${labels}} ${created}\n`}`;

/** How long rounds took, and how many were late. A fleet has thousands of these series, which prom-client writes in one piece. */
export function createRoundSeries() {
  const rounds = new Map<string, Round>();
  const find = (subnet: string, round: RoundName): Round => {
    const key = JSON.stringify([subnet, round]);
    let found = rounds.get(key);
    if (found === undefined) {
      const labels = `subnet="${escapeLabel(subnet)}",round="${round}"`;
      found = { subnet, round, labels, within: BUCKETS.map(() => 0), seconds: 0, late: 0 };
      rounds.set(key, found);
    }
    return found;
  };
  return {
    finished: (subnet: string, name: RoundName, seconds: number): void => {
      const round = find(subnet, name);
      for (const [index, limit] of [...LIMITS, Number.POSITIVE_INFINITY].entries())
        if (seconds <= limit) round.within[index] = (round.within[index] ?? 0) + 1;
      round.seconds += seconds;
    },
    late: (subnet: string, round: RoundName): void => {
      find(subnet, round).late += 1;
    },
    /** Drops the series of rounds that no longer run. */
    keep: (runs: (subnet: string, round: RoundName) => boolean): void => {
      for (const [key, { subnet, round }] of rounds) if (!runs(subnet, round)) rounds.delete(key);
    },
    /** Writes them in steps, one for each round. All counters began at 0 at `startedAt`, in Unix milliseconds. */
    *write(format: ExpositionFormat, startedAt: number): Generator<void, string> {
      const created = format === 'text' ? undefined : String(startedAt / 1000);
      let [durations, late] = ['', ''];
      for (const round of rounds.values()) {
        if (countOf(round) > 0) durations += formatDurations(round, created);
        late += formatLate(round, created);
        yield;
      }
      if (durations !== '')
        durations = describeFamily({ name: DURATION, type: 'histogram', help: HELP.duration }, format) + durations;
      if (late !== '') late = describeFamily({ name: LATE, type: 'counter', help: HELP.late }, format) + late;
      return durations + late;
    },
  };
}
