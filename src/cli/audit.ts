import { parseDate } from '../platform/api/check-value.ts';
import type { AuditEvent } from '../platform/model/platform-store.ts';
import { withStore } from './read-database.ts';
import { type ExitCode, escapeText, quote, refuse, toJson } from './report.ts';

const PAGE = 500;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time (`2026-01-31`, `2026-01-31T10:00:00Z`) or how long ago (`30m`, `24h`, `7d`), as ISO 8601. */
function parseSince(text: string, now: number): string | undefined {
  const ago = /^(\d{1,9})([smhd])$/.exec(text);
  if (ago === null) return parseDate(text);
  return new Date(Math.max(0, now - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? 0))).toISOString();
}

function formatEvent(event: AuditEvent): string {
  const { at, action, resource, recordId, statedBy, owner, credential, ip, changes, requestId, isSecurity } = event;
  const which = isSecurity && recordId === 0 ? '' : ` ${resource} ${recordId}`;
  const nobody = credential === 'none' ? 'nobody' : credential;
  const who = owner === null ? nobody : `user ${owner} (${credential})`;
  const stated = statedBy === null || statedBy === owner ? '' : `, stated as user ${statedBy}`;
  const from = ip ?? (isSecurity ? 'several addresses' : 'this machine');
  const what = Object.entries(changes).map(
    ([member, { from, to }]) => `${member} ${from === null ? '' : `${quote(from)} -> `}${quote(to)}`,
  );
  const request = requestId === null ? '' : `  request ${requestId}`;
  const list = what.length === 0 ? '' : `  ${what.join(', ')}`;
  return escapeText(`${at}  ${action}${which}  by ${who}${stated} from ${from}${list}${request}`);
}

/** The flags of `subnetd audit`. */
interface AuditFlags {
  readonly since?: string;
  readonly json?: boolean;
  readonly verify?: boolean;
  readonly head?: readonly string[];
}

/**
 * `subnetd audit`: prints who changed what, when and from where, the oldest first. With `--verify` it checks instead that
 * nobody has changed that.
 */
export async function audit(flags: AuditFlags): Promise<ExitCode> {
  if (flags.verify === true || flags.head !== undefined) return (await import('./verify-audit.ts')).verifyAudit(flags);
  const since = flags.since === undefined ? undefined : parseSince(flags.since, Date.now());
  if (flags.since !== undefined && since === undefined)
    return refuse('subnetd audit', '--since must be a time such as 2026-01-31T10:00:00Z, or how long ago, such as 24h');
  return withStore(async (store) => {
    let isFirst = true;
    if (flags.json) process.stdout.write('[');
    for (let after = 0; ; ) {
      const events = await store.searchAudit({ since, after, limit: PAGE });
      for (const event of events) {
        const line = flags.json ? `${isFirst ? '\n' : ',\n'}${toJson(event)}` : `${formatEvent(event)}\n`;
        process.stdout.write(line);
        isFirst = false;
      }
      if (events.length < PAGE) break;
      after = events.at(-1)?.id ?? 0;
    }
    if (flags.json) process.stdout.write('\n]\n');
    return 0;
  });
}
