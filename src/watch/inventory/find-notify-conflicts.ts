import { isRecord } from '../../lib/values.ts';
import { joinAnd } from '../../lib/words.ts';
import { CHANNEL_KINDS } from './notify-schema.ts';

interface Conflict {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

const OWN_HEADERS = /^(?:x-subnetd-.*|content-type|content-length|host|connection|transfer-encoding)$/i;

function findBadHeaders(headers: unknown, path: readonly PropertyKey[]): readonly Conflict[] {
  return Object.keys(isRecord(headers) ? headers : {}).flatMap((name) => {
    const what = OWN_HEADERS.test(name)
      ? 'is a header that subnetd writes itself'
      : /^(?:authorization|cookie)$/i.test(name)
        ? 'would put a secret into the inventory; use bearerTokenFile'
        : undefined;
    return what === undefined ? [] : [{ path: [...path, name], what }];
  });
}

/** Errors between the values of channels: equal names, and settings that exclude each other. */
export function findNotifyConflicts(notify: unknown): readonly Conflict[] {
  const findings: Conflict[] = [];
  const names = new Set<unknown>();
  for (const [c, channel] of (Array.isArray(notify) ? notify : []).entries()) {
    if (!isRecord(channel)) continue;
    const path = ['notify', c];
    const { name, webhook } = channel;
    if (typeof name === 'string' && names.has(name))
      findings.push({ path: [...path, 'name'], what: 'is already the name of another channel' });
    names.add(name);
    const kinds = CHANNEL_KINDS.filter((kind) => channel[kind] !== undefined);
    if (kinds.length !== 1)
      findings.push({
        path,
        what: `needs exactly one of ${joinAnd(CHANNEL_KINDS)}`,
      });
    if (!isRecord(webhook)) continue;
    findings.push(...findBadHeaders(webhook.headers, [...path, 'webhook', 'headers']));
    if ((webhook.url === undefined) === (webhook.urlFile === undefined))
      findings.push({ path: [...path, 'webhook'], what: 'needs either url or urlFile' });
  }
  return findings;
}
