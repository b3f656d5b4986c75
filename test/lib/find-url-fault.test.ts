import { expect, test } from 'vitest';
import { toDaemonUrl } from '../../src/cli/ask-daemon.ts';
import { findUrlFault } from '../../src/lib/addresses.ts';
import { parseDatabaseUrl } from '../../src/store/database-url.ts';
import { readUrl } from '../../src/tell/notify/channels/secrets.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';
import { writeLog } from '../support/recordings.ts';

/** Passwords with a character that ends the host within them. */
const CUT = [
  'https://monitor:p@ss/w#rd@n1',
  'https://monitor:p@ss/word@n1',
  'https://monitor:12/x3@n1',
  'https://monitor:p@ss?x@n1',
];

/** The errors of an inventory in which the URL stands at one place. */
const errorsWith = (rpc: string, more: object = {}): string => {
  const parsed = parseInventory(JSON.stringify({ subnets: [{ name: 's', nodes: [{ name: 'n', rpc }] }], ...more }), {});
  return parsed.ok ? '' : parsed.errors.map(({ what }) => what).join('\n');
};
const GOOD = 'http://n1:8545';

test.each(CUT)('a password that cuts its URL short is refused with how to write it: %s', (url) => {
  for (const said of [
    errorsWith(url),
    errorsWith(GOOD, { alertmanager: { urls: [url] } }),
    errorsWith(GOOD, {
      subnets: [{ name: 's', nodes: [{ name: 'n', rpc: GOOD }], parentChain: { rpc: url }, stats: { url } }],
    }),
  ]) {
    expect(said).toContain('write / as %2F, ? as %3F, # as %23 and @ as %40');
    expect(said).not.toMatch(/monitor:|rd@n1|word@|x3@/);
  }
});

test.each(['https://monitor:p/w@n1', 'https://monitor:p#w@n1', 'https://monitor:p?w@n1'])(
  'so is one that leaves no URL: %s',
  (url) => {
    expect(errorsWith(url)).toMatch(/^must be a URL such as .*in a password, write/);
  },
);

test('an encoded password, a key in a path and a path of its own are good', () => {
  for (const url of ['https://monitor:p%40ss%2Fw%23rd@n1', 'https://n1/v2/key', 'http://u@n1:8545/?a=b%40c'])
    expect(errorsWith(url)).toBe('');
});

test('a webhook may hold an @ in its path, but no fragment', async () => {
  const notify = (url: string) => errorsWith(GOOD, { notify: [{ name: 'w', webhook: { url } }] });
  expect(notify('https://outlook.example.com/webhook/a@b/IncomingWebhook')).toBe('');
  expect(notify('https://u:p@ss/w@host')).toContain('in a password, write');
  expect(notify('https://host/w#x')).toContain('must be without #');
  expect(() => readUrl('notify', writeLog('https://u:p@ss/w#x@host'))).toThrow(/in a password, write/);
  expect(readUrl('notify', writeLog('https://host/a@b')).pathname).toBe('/a@b');
});

test('a fragment is refused in the address of the database and of the daemon', async () => {
  expect(parseDatabaseUrl('postgres://u:p@h/d#x')).toBeUndefined();
  expect(parseDatabaseUrl('postgres://u:p@h/d')).toBeDefined();
  expect(await toDaemonUrl('http://u:p@ss/w#rd@h')).toMatchObject({ ok: false });
  expect(await toDaemonUrl('http://u:p%40@h')).toMatchObject({ ok: true });
});

test('a URL without user info and fragment is not even parsed', () => {
  expect(findUrlFault('not a URL')).toBeUndefined();
});
