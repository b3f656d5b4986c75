import { createHash } from 'node:crypto';
import { TRAILS, type TrailCheck, type TrailHead, type TrailName } from '../platform/model/audit-trail.ts';
import { type AuditRow, authenticate, commitTo, linkTo } from './audit-chain.ts';
import { type Run, sql } from './sql.ts';

/** Where a chain of audit events begins and ends. */
interface End {
  readonly name: string;
  readonly begins_after: number;
  readonly removed_id: number;
  readonly removed_hash: string | null;
  readonly last_id: number;
  readonly hash: string;
}

const PAGE = 1_000;

/** The action of the event that states what is left of erased rows. */
export const ERASE = 'erase';

/** Digests what is left of erased rows, in their order. */
export function createErasedDigest() {
  const hash = createHash('sha256');
  return {
    add: ({ id, ip, changes }: Pick<AuditRow, 'id' | 'ip' | 'changes'>) =>
      void hash.update(`${JSON.stringify([id, ip, changes])}\n`),
    value: () => hash.digest('base64url'),
  };
}

const NOTHING_ERASED = createErasedDigest().value();

const digestOf = ({ changes }: AuditRow): unknown =>
  (JSON.parse(changes) as Record<string, { readonly to: unknown } | undefined>).Digest?.to;

/** Follows a chain from its beginning. `judge` returns why the next row does not hold; undefined if it does. */
function followChain(end: End, keys: readonly Buffer[], kept: readonly TrailHead[]) {
  const { name, begins_after, removed_id, removed_hash } = end;
  let before = removed_hash ?? `${name} after ${begins_after}`;
  let lastId = removed_hash === null ? begins_after : removed_id;
  let endHash = lastId === end.last_id ? before : undefined;
  let [unchained, keyed, erased] = [0, 0, 0];
  let keyedFrom: number | undefined;
  const found: TrailHead[] = [];
  const left = createErasedDigest();
  let stated: { readonly id: number; readonly digest: unknown } = { id: 0, digest: NOTHING_ERASED };

  /** A head that was kept proves the rows up to it without a key. */
  const judgeKey = ({ id, mac, hash }: AuditRow): string | undefined => {
    if (keys.length === 0 || kept.some((head) => head.id >= id)) return undefined;
    if (mac === null)
      return keyedFrom === undefined
        ? undefined
        : 'was written without the secret key, unlike those before it: by a command without SUBNETD_SECRET_KEY, or by someone else';
    return keys.some((key) => authenticate(key, hash ?? '') === mac)
      ? undefined
      : 'was written with a secret key that SUBNETD_SECRET_KEY does not list, or by someone else';
  };
  const judgeRow = (row: AuditRow): string | undefined => {
    if (row.hash === null) return 'is not part of the chain: an older subnetd wrote it, or someone else';
    if (linkTo(before, row, row.erased ?? commitTo(row.salt ?? '', row)) !== row.hash)
      return `does not follow row ${lastId}: it was changed or moved, or rows between them are gone`;
    if (row.erased !== null && name === 'security' && (row.ip !== null || row.changes !== '{}'))
      return 'was erased, and something was written in its place';
    const head = kept.find(({ id }) => id === row.id);
    if (head !== undefined && head.hash !== row.hash) return 'has a different hash from the head that was kept';
    if (head !== undefined) found.push(head);
    return judgeKey(row);
  };
  const judge = (row: AuditRow): string | undefined => {
    if (row.hash === null && row.id <= begins_after) {
      unchained += 1;
      return undefined;
    }
    const why = judgeRow(row);
    if (why !== undefined) return why;
    if (row.mac !== null) {
      keyed += 1;
      keyedFrom ??= row.id;
    }
    if (row.erased !== null) {
      erased += 1;
      if (name === 'changes') left.add(row);
    }
    if (row.action === ERASE) stated = { id: row.id, digest: digestOf(row) };
    before = row.hash ?? before;
    lastId = row.id;
    if (lastId === end.last_id) endHash = before;
    return undefined;
  };
  /** `now` is where the chain ends after all rows were read: others may have written meanwhile. */
  const judgeEnd = (now: End): TrailCheck['broken'] => {
    if (endHash !== end.hash || lastId < end.last_id || lastId > now.last_id)
      return { id: end.last_id, why: `should be the last row of the chain, but ${lastId} is` };
    return left.value() === stated.digest
      ? undefined
      : {
          id: stated.id,
          why: 'does not state what is left of the erased rows: someone else has changed or erased one',
        };
  };
  const result = () => ({
    ...{ name: name as TrailName, unchained, keyed, keyedFrom, erased, found, removedId: removed_id },
    head: lastId > begins_after ? { name: name as TrailName, id: lastId, hash: before } : undefined,
  });
  return { judge, judgeEnd, result };
}

async function checkOnce(
  run: Run,
  name: TrailName,
  keys: readonly Buffer[],
  kept: readonly TrailHead[],
): Promise<TrailCheck> {
  const readEnd = async () => {
    const [end] = await run<End>(sql`select * from audit_chain where name = ${name}`);
    if (end === undefined) throw new Error(`the database has no head of the audit trail of ${name}; restore a backup`);
    return end;
  };
  const chain = followChain(await readEnd(), keys, kept);
  let [rows, after] = [0, 0];
  for (;;) {
    const page = await run<AuditRow>(sql`
      select * from audit_event where is_security = ${name === 'security' ? 1 : 0} and id > ${after}
      order by id limit ${PAGE}`);
    for (const row of page) {
      rows += 1;
      const why = chain.judge(row);
      if (why !== undefined) return { ...chain.result(), rows, broken: { id: row.id, why } };
    }
    if (page.length < PAGE) break;
    after = page.at(-1)?.id ?? 0;
  }
  const broken = chain.judgeEnd(await readEnd());
  return { ...chain.result(), rows, broken };
}

/**
 * Checks both chains, with the keys for the codes of rows and the heads that were kept elsewhere. What does not hold is
 * looked at once more: rows may have been deleted or erased meanwhile.
 */
export const checkTrail = (
  run: Run,
  keys: readonly Buffer[],
  kept: readonly TrailHead[],
): Promise<readonly TrailCheck[]> =>
  Promise.all(
    TRAILS.map(async (name) => {
      const own = kept.filter((head) => head.name === name);
      const first = await checkOnce(run, name, keys, own);
      return first.broken === undefined ? first : checkOnce(run, name, keys, own);
    }),
  );

/** Where the chains end now. */
export async function readTrailHeads(run: Run): Promise<readonly TrailHead[]> {
  const ends = await run<End>(sql`select * from audit_chain order by name`);
  return ends.flatMap(({ name, last_id, begins_after, hash }) =>
    last_id > begins_after ? [{ name: name as TrailName, id: last_id, hash }] : [],
  );
}
