import { formatHead, parseHead, type TrailCheck } from '../platform/model/audit-trail.ts';
import { withStore } from './read-database.ts';
import { type ExitCode, printLine, refuse } from './report.ts';

/** What was found of one chain, in lines. */
function describe({ name, rows, unchained, keyed, keyedFrom, erased, removedId, head, broken }: TrailCheck): string[] {
  const facts = [
    rows === 1 ? '1 row' : `${rows} rows`,
    ...(unchained > 0 ? [`${unchained} of them from before the chain, which it does not protect`] : []),
    ...(removedId > 0 ? [`those up to ${removedId} were deleted by age`] : []),
    ...(keyedFrom === undefined
      ? ['none with a secret key']
      : [`${keyed} with a secret key, from row ${keyedFrom} on`]),
    ...(erased > 0 ? [`${erased} erased`] : []),
  ];
  const verdict = broken === undefined ? 'holds' : `is broken at row ${broken.id}, which ${broken.why}`;
  return [
    `${name}: ${facts.join(', ')}`,
    `${name}: the chain ${verdict}`,
    ...(broken === undefined && head !== undefined ? [`${name}: head ${formatHead(head)}`] : []),
  ];
}

/** `subnetd audit --verify`: checks the chains of the audit trail, and that they have the heads that were kept. */
export async function verifyAudit(flags: {
  readonly json?: boolean;
  readonly head?: readonly string[];
}): Promise<ExitCode> {
  const given = flags.head ?? [];
  const kept = given.map(parseHead).filter((head) => head !== undefined);
  if (kept.length < given.length)
    return refuse(
      'subnetd audit',
      '--head must be a head as subnetd audit --verify prints it, such as changes:12:HASH',
    );
  return withStore(async (store) => {
    const checks = await store.checkTrail(kept);
    const gone = kept.filter(
      ({ name, id }) => !checks.some(({ found }) => found.some((head) => head.name === name && head.id === id)),
    );
    const holds = checks.every(({ broken }) => broken === undefined) && gone.length === 0;
    if (flags.json === true) {
      const trails = checks.map(({ head, found: _, ...check }) => ({ ...check, head: head && formatHead(head) }));
      printLine(JSON.stringify({ holds, trails, missingHeads: gone.map(formatHead) }, undefined, 2));
      return holds ? 0 : 1;
    }
    for (const line of checks.flatMap(describe)) printLine(line);
    for (const head of gone) printLine(`${head.name}: the row of the head ${formatHead(head)} is not in the chain`);
    if (holds) printLine('Keep the heads where nobody with write access to the database can change them.');
    return holds ? 0 : 1;
  });
}
