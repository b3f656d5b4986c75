import { isRecord } from '../../lib/values.ts';
import { joinAnd } from '../../lib/words.ts';
import { type AddConflict, listOf } from './find-maintenance-conflicts.ts';
import { CHANNEL_KINDS } from './notify-schema.ts';

const OWN_HEADERS = /^(?:x-subnetd-.*|webhook-.*|content-type|content-length|host|connection|transfer-encoding)$/i;

function findBadHeaders(headers: unknown, path: readonly PropertyKey[], add: AddConflict): void {
  for (const name of Object.keys(isRecord(headers) ? headers : {})) {
    if (OWN_HEADERS.test(name)) add([...path, name], 'is a header that subnetd writes itself');
    else if (/^(?:authorization|cookie)$/i.test(name))
      add([...path, name], 'would put a secret into the inventory; use bearerTokenFile');
  }
}

/** Errors between the values of channels: equal names, and settings that exclude each other. */
export function findNotifyConflicts(notify: unknown, add: AddConflict): void {
  const names = new Set<unknown>();
  for (const [c, channel] of listOf(notify).entries()) {
    if (!isRecord(channel)) continue;
    const path = ['notify', c];
    const { name, webhook } = channel;
    if (typeof name === 'string' && names.has(name)) add([...path, 'name'], 'is already the name of another channel');
    names.add(name);
    const kinds = CHANNEL_KINDS.filter((kind) => channel[kind] !== undefined);
    if (kinds.length !== 1) add(path, `needs exactly one of ${joinAnd(CHANNEL_KINDS)}`);
    if (!isRecord(webhook)) continue;
    findBadHeaders(webhook.headers, [...path, 'webhook', 'headers'], add);
    if ((webhook.url === undefined) === (webhook.urlFile === undefined))
      add([...path, 'webhook'], 'needs either url or urlFile');
  }
}
