import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { groupAlerts } from '../../../../src/tell/notify/channels/create-channels.ts';
import { planMessage } from '../../../../src/tell/notify/channels/plan-message.ts';
import { toMessage } from '../../../../src/tell/notify/channels/to-message.ts';
import { signBody, toWebhookBody } from '../../../../src/tell/notify/channels/webhook.ts';
import { alertsOf, firingAlert } from '../../../support/alerts-at.ts';

const page = readFileSync(new URL('../../../../docs/notify.md', import.meta.url), 'utf8');
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

/** The members of a value with their types, lists by their first member. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([key, one]) => [key, shapeOf(one)]);
};

it('the example of a webhook on the page has the members that subnetd sends, in their order', () => {
  const at = Date.UTC(2026, 10, 21);
  const { firing } = groupAlerts(alertsOf(firingAlert('subnet2', at)), at + 30_000);
  const planned = planMessage(firing.get('devnet') ?? new Map(), undefined, undefined, at + 30_000);
  if (planned === undefined) throw new Error('no message is due');
  const place = { channel: 'automation', group: 'devnet', instance: 'watcher-1', now: at + 30_000 };
  const body = JSON.parse(JSON.stringify(toWebhookBody(toMessage(planned, undefined, place))));
  const example = JSON.parse(blockOf('json'));
  expect(shapeOf(example)).toEqual(shapeOf(body));
  expect({ ...example, id: '', thread: '', alerts: [] }).toEqual({ ...body, id: '', thread: '', alerts: [] });
  const rows = [...page.matchAll(/^\| `([^|]+)` \|/gm)].flatMap(([, names = '']) => names.split('`, `'));
  const members = [...Object.keys(body), ...Object.keys(body.alerts[0]), 'endsAt'];
  expect(members.filter((name) => !rows.some((row) => row.replace('alerts[].', '') === name))).toEqual([]);
});

it('the receiver on the page takes what is signed, and refuses what is old, changed, or signed by another', async () => {
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(blockOf('js'))}`);
  const now = Date.UTC(2026, 10, 21);
  const check = (body: string, { key = 'key', at = now } = {}) => {
    const stamp = String(at / 1_000);
    const headers = { 'x-subnetd-timestamp': stamp, 'x-subnetd-signature': signBody(key, stamp, '{"a":1}') };
    return isGenuine(headers, body, 'key', now);
  };
  expect(check('{"a":1}')).toBe(true);
  expect(check('{"a":1}', { at: now - 299_000 })).toBe(true);
  expect(check('{"a":1}', { at: now - 300_000 })).toBe(false);
  expect(check('{"a":2}')).toBe(false);
  expect(check('{"a":1}', { key: 'other' })).toBe(false);
  expect(isGenuine({}, '{"a":1}', 'key', now)).toBe(false);
});
