import type { Incident, IncidentStore } from '../../model/incident.ts';

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
