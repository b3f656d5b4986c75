import { formatSecond, type Moment } from '../../lib/duration.ts';
import type { Incident, IncidentStore } from '../../model/incident.ts';
import {
  COVERED_BY_HALT,
  type EndedProblem,
  type ExplainedCheck,
  NOTHING_TO_DO,
  type Problem,
} from '../../model/problem.ts';

/** An incident with its times converted to another clock. */
export function convertIncident(incident: Incident, convert: (at: number) => number): Incident {
  const { clearSince, covered, endedAt, last } = incident;
  return {
    ...incident,
    last: {
      ...last,
      ...(last.restartAt !== undefined && { restartAt: convert(last.restartAt) }),
      ...(last.readAt !== undefined && { readAt: convert(last.readAt) }),
      ...(last.since !== undefined && { since: convert(last.since) }),
    },
    foundAt: convert(incident.foundAt),
    startedAt: convert(incident.startedAt),
    ...(clearSince !== undefined && { clearSince: convert(clearSince) }),
    ...(covered && { covered: { ...covered, since: convert(covered.since) } }),
    ...(endedAt !== undefined && { endedAt: convert(endedAt) }),
    notified: incident.notified.map((one) => ({ ...one, at: convert(one.at) })),
  };
}

/** What is stored of an incident does not say what it explained. Its errors from before the restart are still counted in the log of a frontend. */
const explainErrors = ({ component, name }: Incident): readonly ExplainedCheck[] =>
  component === 'frontend' && name !== undefined ? [{ component, name, check: 'logs' }] : [];

/** The problem of a stored incident that is not over, as it was last seen: the next diagnosis confirms it, or finds that it is gone. */
export const toRestoredProblem = (incident: Incident, { now, toWall }: Moment): Problem => {
  const { problem, component, name, about, severity, alert, last, foundAt, startedAt, clearSince, planned } = incident;
  // An earlier version has stored no time.
  const { readAt, since = foundAt, ...words } = last;
  const when = readAt === undefined ? '' : `at ${formatSecond(toWall(readAt))}, `;
  return {
    ...{ problem, component, name, severity, alert },
    ...(about !== undefined && { about }),
    ...words,
    evidence: `seen ${when}before subnetd was started: ${words.evidence}`,
    ...{
      explains: explainErrors(incident),
      causes: problem === 'subnet_halted' ? COVERED_BY_HALT : [],
      state: 'open',
      since,
      openedAt: startedAt,
      seenAt: clearSince ?? now,
      restoredAt: now,
    },
    ...(clearSince !== undefined && { state: 'clearing', clearingSince: clearSince, fix: NOTHING_TO_DO }),
    ...(planned && { planned: { ...planned, mutes: true } }),
  };
};

/** The problem of a stored incident that is over. Errors from before, which the log still shows, are explained by it. */
export const toEndedProblem = (incident: Incident, endedAt: number): EndedProblem => {
  const { problem, component, name, about, last, foundAt, startedAt, clearSince = endedAt } = incident;
  const times = { since: foundAt, seenAt: clearSince, openedAt: startedAt, endedAt };
  return { problem, component, name, about, summary: last.summary, ...times, explains: explainErrors(incident) };
};

/** How many incidents are read at once. */
const PAGE = 1_000;

/** The stored incidents of these subnets, or of all: every open one, and the last that have ended. In the order of the store. */
export async function readStored(
  database: Pick<IncidentStore, 'list'>,
  subnets?: readonly string[],
): Promise<readonly Incident[]> {
  const stored: Incident[] = [];
  for (;;) {
    const page = await database.list({ subnets, limit: PAGE, before: stored.at(-1) });
    stored.push(...page);
    // Open ones come first.
    if (page.length < PAGE || page.at(-1)?.endedAt !== undefined) return stored;
  }
}
