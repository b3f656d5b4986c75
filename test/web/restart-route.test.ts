import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { RestartResult } from '../../src/model/restart-answer.ts';
import { answerRestart } from '../../src/web/subnet-routes.ts';

async function ask(query: string, result: RestartResult) {
  const asked: unknown[] = [];
  const answer = answerRestart(async (...question) => {
    asked.push(question);
    return result;
  });
  const response = await new Hono().get('/safe-to-restart', answer).request(`/safe-to-restart${query}`);
  return { asked, status: response.status, text: await response.text(), cache: response.headers.get('cache-control') };
}

const about = { kind: 'answer', subnet: 'devnet', node: 'n1' } as const;
const numbers = { required: 3, voting: 4, headroom: 1 };
const nothingElse = {
  ...{ nextTurnMs: null, turnEveryMs: null, stopMs: null, unready: null },
  ...{ container: null, startedAt: null },
};

test('yes is 200, with the reason and the numbers, and no cache keeps it', async () => {
  const { asked, status, text, cache } = await ask('?subnet=devnet&node=n1', {
    ...about,
    ...{ safe: true, known: true, reason: '3 other masternodes vote, 3 needed' },
    ...numbers,
  });
  expect([asked, status, cache]).toEqual([[['devnet', 'n1']], 200, 'no-store']);
  expect(JSON.parse(text)).toEqual({
    ...{ safe: true, reason: '3 other masternodes vote, 3 needed', known: true },
    ...numbers,
    ...{ subnet: 'devnet', node: 'n1' },
    ...nothingElse,
  });
});

test('the turns of the node, why it is not relied on and its container are part of the answer', async () => {
  const own = {
    nextTurnMs: 6_500,
    turnEveryMs: 8_000,
    stopMs: 10_100,
    unready: 'n1 was started 12s ago and must run for a minute',
  };
  const container = { name: 'generated-n1-1', startedAt: 1_700_000_000_000 };
  const { text } = await ask('?node=n1', { ...about, safe: true, known: true, reason: 'it may', ...own, container });
  expect(JSON.parse(text)).toMatchObject({
    ...own,
    ...{ container: 'generated-n1-1', startedAt: '2023-11-14T22:13:20.000Z' },
  });
});

test('no is 409, and so is what nobody knows, with null for each number that is not known', async () => {
  const no = await ask('?node=n1', { ...about, safe: false, known: true, reason: 'n2 is being stopped', ...numbers });
  expect([no.asked, no.status, JSON.parse(no.text).known]).toEqual([[[undefined, 'n1']], 409, true]);
  const unknown = await ask('?node=n1', { ...about, safe: false, known: false, reason: 'nothing is known yet' });
  expect(unknown.status).toBe(409);
  expect(JSON.parse(unknown.text)).toEqual({
    ...{ safe: false, reason: 'nothing is known yet', required: null, voting: null, headroom: null },
    ...{ known: false, subnet: 'devnet', node: 'n1' },
    ...nothingElse,
  });
});

test('a question without a node is 400, as one that fits several nodes, and one about a node that there is not is 404', async () => {
  const none = { kind: 'unknown', error: 'devnet has no such node; it has n1' } as const;
  for (const query of ['', '?subnet=devnet', '?subnet=devnet&node=']) {
    const { asked, status, text } = await ask(query, none);
    expect([asked, status, text]).toEqual([[], 400, 'say which node: /safe-to-restart?subnet=NAME&node=NAME\n']);
  }
  expect(await ask('?subnet=&node=n9', none)).toMatchObject({
    ...{ asked: [[undefined, 'n9']], status: 404 },
    text: 'devnet has no such node; it has n1\n',
  });
  const several = await ask('?node=n1', { kind: 'ambiguous', error: 'several subnets have this node' });
  expect([several.status, several.text]).toEqual([400, 'several subnets have this node\n']);
});
