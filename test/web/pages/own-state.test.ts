import { expect, test } from 'vitest';
import { describeOwnState, type OwnState } from '../../../src/web/pages/banner.ts';

const NOW = Date.UTC(2026, 10, 22, 3, 4, 9);
const MINUTE = 60_000;
const WELL: OwnState = {
  version: '1.2.3',
  startedAt: NOW - 90 * MINUTE,
  reload: { successful: true, successAt: NOW - 60 * MINUTE },
  engines: new Map([['default', true]]),
  isDatabaseUp: true,
  scrapedAt: NOW - 8_000,
};

const read = (own: Partial<OwnState>): readonly string[] =>
  describeOwnState({ ...WELL, ...own }, NOW).map((part) => {
    const standing = /<svg class="shape (\w+)"/.exec(String(part))?.[1] ?? '';
    return `${standing} ${String(part)
      .replace(/<[^>]*>/g, '')
      .trim()}`.trim();
  });

test('subnetd says of itself what is well', () => {
  expect(read({})).toEqual([
    'subnetd 1.2.3, started 1 h 30 min ago',
    'ok Inventory loaded 02:04',
    'ok Docker answers',
    'ok Database answers',
    'ok No late rounds',
    'ok Scraped 8 s ago',
  ]);
});

test('and what is not', () => {
  expect(
    read({
      reload: { successful: false, successAt: NOW - 60 * MINUTE },
      engines: new Map([
        ['machine1', true],
        ['machine2', false],
      ]),
      isDatabaseUp: false,
      lateAt: NOW - 59 * MINUTE,
      scrapedAt: undefined,
    }),
  ).toEqual([
    'subnetd 1.2.3, started 1 h 30 min ago',
    'bad The last reload of the inventory failed; the one of 02:04 is still in use',
    'bad Docker does not answer: machine2',
    'bad The database does not answer',
    'bad A round ran late 59 min ago',
    'off Not scraped yet',
  ]);
  expect(read({ lateAt: NOW - 60 * MINUTE })).toContain('ok No late rounds');
  expect(read({ engines: new Map([['default', undefined]]) }).join()).not.toContain('Docker');
});
