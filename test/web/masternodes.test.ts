import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { answerMasternodes, toMasternodesStatus } from '../../src/web/subnet-routes.ts';
import { toStatus } from '../../src/web/to-status.ts';
import { penalisedSubnet, youngSubnet } from '../support/masternodes.ts';

describe('/masternodes.json', () => {
  const app = new Hono().get(
    '/masternodes.json',
    answerMasternodes(() => toMasternodesStatus([penalisedSubnet(), youngSubnet()])),
  );

  test('is of the shape in its page, with the masternodes that the inventory lacks', async () => {
    const page = readFileSync(new URL('../../docs/masternodes.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const answer = await app.request('/masternodes.json?subnet=devnet');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual(JSON.parse(example));
    for (const name of new Set(example.match(/(?<=")\w+(?=":)/g))) expect(page).toContain(`\`${name}\``);
  });

  test('has every subnet, one that is asked for, and none that there is not', async () => {
    const all = await (await app.request('/masternodes.json')).json();
    expect(all).toEqual({ subnets: [expect.objectContaining({ name: 'devnet' }), { name: 'young', masternodes: [] }] });
    const unknown = await app.request('/masternodes.json?subnet=x');
    expect([unknown.status, await unknown.text()]).toEqual([404, 'the inventory has no such subnet\n']);
  });
});

test('/status.json has the next epoch as it is predicted, with those who have no turns in it and why', () => {
  const subnet = penalisedSubnet();
  const next = { total: 3, required: 3, voting: 2, isChosen: false };
  const fate = { state: 'penalised', reason: 'no-block', signBy: 1_335 } as const;
  const masternodes = (subnet.epoch?.masternodes ?? []).map((one) => ({
    ...one,
    next: one.name === 'subnet1' ? fate : ({ state: 'active' } as const),
  }));
  const epoch = subnet.epoch && { ...subnet.epoch, next, masternodes };
  const [shown, before] = toStatus([{ ...subnet, ...(epoch && { epoch }) }, subnet], (at) => at).subnets;
  expect(shown?.nextEpoch).toEqual({
    ...{ epoch: 2, ...next },
    without: [{ address: `0x${'a'.repeat(40)}`, name: 'subnet1', ...fate }],
  });
  expect(JSON.parse(JSON.stringify(before))).not.toHaveProperty('nextEpoch');
});

test('/status.json has how the masternodes keep up with each other, of those of whom that is known', () => {
  const subnet = penalisedSubnet();
  const lag = { missedShare: 0.15, missedAtLeast: 0.1, delayMs: 1_370, delayP95Ms: 2_000, importMs: 850 };
  const masternodes = (subnet.epoch?.masternodes ?? []).map((one) => (one.name === 'subnet1' ? { ...one, lag } : one));
  const epoch = subnet.epoch && { ...subnet.epoch, masternodes };
  const [shown, before] = toStatus([{ ...subnet, ...(epoch && { epoch }) }, subnet], (at) => at).subnets;
  expect(shown?.lag).toEqual([{ address: `0x${'a'.repeat(40)}`, name: 'subnet1', ...lag }]);
  expect(before).not.toHaveProperty('lag');
});
