import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { answerMasternodes, toMasternodesStatus } from '../../src/web/subnet-routes.ts';
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
