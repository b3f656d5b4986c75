import { describe, expect, test } from 'vitest';
import type { Epoch, Masternode } from '../../../src/model/snapshot.ts';
import { masternodeRows } from '../../../src/web/pages/masternodes.ts';
import { penalisedSubnet, youngSubnet } from '../../support/masternodes.ts';
import { words } from '../../support/page-words.ts';

const tableOf = (epoch: Epoch | undefined): string => String(masternodeRows('devnet', epoch));
/** The rows of the part of a page, as people read them. */
const rowsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<tr[^>]*><th scope="row"[\s\S]*?<\/tr>/g)].map(([row]) => words(row).trim());

const many = (total: number, more: readonly Masternode[] = []): Epoch => ({
  ...{ number: 7, firstBlock: 6_300, choiceBlock: 6_750, nextFirstBlock: 7_200, block: 6_400, round: 6_500 },
  isNextKnown: false,
  masternodes: [
    ...Array.from({ length: total }, (_, index): Masternode => {
      const address = `0x${String(index).padStart(40, '0')}`;
      return { address, name: `n${index}`, vote: 'votes', blocksMade: 3, missedRounds: 0, votesMissing: 0 };
    }),
    ...more,
  ],
});

describe('the table of masternodes', () => {
  test('has each with its counts, the worst first, and what the next epoch brings', () => {
    const html = tableOf(penalisedSubnet().epoch);
    expect(rowsOf(html)).toEqual([
      'subnet1 0xaaaa…aaaa silent 264 3 11 drops out in epoch 2',
      'subnet3 0xdddd…dddd penalised 0 0 back in epoch 2',
      'subnet2 0xbbbb…bbbb votes 267 0 0',
      '0xcccc…cccc no known node votes 267 0 0',
    ]);
    // A text with any other character takes two bytes for each: 26 MB for a page of 10,000 nodes.
    expect(html).toMatch(/^[\0-\xff]*$/);
    expect(words(html)).toContain(
      'Epoch 1 began at block 900. As of block 1,697, round 1,720. The next one begins at block 1,800; its masternodes were chosen at block 1,350.',
    );
    expect(html).toContain('href="/targets/devnet/subnet1"');
    expect(html).toContain(`title="0x${'a'.repeat(40)}"`);
    expect(html).not.toContain('<details>');
  });

  test('names all nodes that run with a key', () => {
    const shared: Masternode = { address: `0x${'f'.repeat(40)}`, name: 'n8', alsoOf: ['n9'], vote: 'votes' };
    expect(rowsOf(tableOf(many(0, [shared])))).toEqual(['n8 and n9 , with one key 0xffff…ffff votes']);
  });

  test('names the node that an address probably has, and leaves out columns in which nothing stands', () => {
    const lost: Masternode = { address: `0x${'f'.repeat(40)}`, presumed: 'n9', vote: 'silent', missedRounds: 4 };
    const html = tableOf(many(1, [lost]));
    expect(rowsOf(html)).toEqual(['0xffff…ffff probably n9 silent 4', 'n0 0x0000…0000 votes 3 0 0']);
    expect([...html.matchAll(/role="columnheader">([^<]*)/g)].map(([, title]) => title)).toEqual([
      ...['Masternode', 'State', 'Blocks made', 'Rounds missed', 'Votes missing'],
    ]);
  });

  test('shows the share of missed turns, and how late blocks come', () => {
    const slow: Masternode = {
      ...{
        address: `0x${'f'.repeat(40)}`,
        name: 'slow',
        vote: 'votes',
        blocksMade: 50,
        missedRounds: 9,
        votesMissing: 0,
      },
      lag: { missedShare: 0.1523, missedAtLeast: 0.09, delayMs: 1_370, delayP95Ms: 2_000 },
    };
    const early: Masternode = { ...slow, name: 'early', missedRounds: 0, lag: { missedShare: 0, delayMs: -40 } };
    expect(rowsOf(tableOf(many(0, [slow, early])))).toEqual([
      'slow 0xffff…ffff votes 50 9 0 15.2 % 1.4 s',
      'early 0xffff…ffff votes 50 0 0 0.0 % 0.0 s',
    ]);
  });

  test('says that nobody has named them yet', () => {
    expect(words(tableOf(youngSubnet().epoch)).trim()).toBe(
      'The masternodes are not known yet. subnetd asks the chain once a minute.',
    );
  });

  test('says no more than the chain has said', () => {
    const { number: _, firstBlock: __, choiceBlock: ___, nextFirstBlock: ____, ...unknown } = many(1);
    expect(words(tableOf(unknown))).toContain('As of block 6,400, round 6,500.');
    expect(words(tableOf(unknown))).not.toContain('Epoch');
    expect(words(tableOf(many(1)))).toContain('its masternodes are chosen at block 6,750.');
  });

  test('says that a penalised one is not back in the next epoch, only once that is known', () => {
    const penalised: Masternode = { address: `0x${'f'.repeat(40)}`, name: 'out', vote: 'penalised' };
    const epoch = many(1, [penalised]);
    expect(rowsOf(tableOf(epoch))[0]).toBe('out 0xffff…ffff penalised');
    const known = rowsOf(tableOf({ ...epoch, isNextKnown: true }));
    expect(known[0]).toBe('out 0xffff…ffff penalised not back before epoch 9');
    expect(known[1]).toBe('n0 0x0000…0000 votes 3 0 0');
  });

  test('says what is predicted of the next epoch, why, and up to when that can be changed', () => {
    const one = (index: number, vote: Masternode['vote'], next: Masternode['next']): Masternode => ({
      ...{ address: `0x${String(index).padStart(40, 'f')}`, name: `p${index}`, vote },
      ...(next && { next }),
    });
    const more = [
      one(1, 'penalised', { state: 'active' }),
      one(2, 'penalised', { state: 'penalised', reason: 'still-penalised', signBy: 6_735 }),
      one(3, 'votes', { state: 'penalised', reason: 'no-block', makeBy: 7_012 }),
      one(4, 'votes', { state: 'removed', reason: 'no-candidate' }),
      one(5, 'votes', { state: 'active' }),
      one(6, 'unknown', { state: 'active' }),
    ];
    const next = { total: 3, required: 3, voting: 2, isChosen: false };
    const html = tableOf({ ...many(0, more), next });
    expect(rowsOf(html)).toEqual([
      'p1 0xffff…fff1 penalised will be back',
      'p2 0xffff…fff2 penalised will have no turns unless it is in sync before block 6,735: penalised, and nothing signed lately',
      'p6 0xffff…fff6 unknown',
      'p3 0xffff…fff3 votes will have no turns unless it makes a block by round 7,012: no block made in this epoch',
      'p4 0xffff…fff4 votes will have no turns: no longer a candidate',
      'p5 0xffff…fff5 votes',
    ]);
    expect(words(html)).toContain('As things go it has 3 masternodes: 2 can vote, 3 are needed.');
    // Some that are counted may not vote.
    const ofFive = (doubtful: number) =>
      words(tableOf({ ...many(0, more), next: { ...next, total: 5, voting: 5, doubtful } }));
    expect(ofFive(1)).toContain('masternodes: 4 or 5 can vote, 3 are needed.');
    expect(ofFive(2)).toContain('masternodes: 3 to 5 can vote, 3 are needed.');
    // What the chain has chosen is said as before.
    const chosen = tableOf({ ...many(0, more), next: { ...next, isChosen: true } });
    expect(rowsOf(chosen)[1]).toBe('p2 0xffff…fff2 penalised');
    expect(words(chosen)).toContain('It has 3 masternodes: 2 can vote, 3 are needed.');
  });

  test('folds more than twenty, and leaves open those that need somebody', () => {
    expect(tableOf(many(20))).not.toContain('<details>');
    const well = tableOf(many(21));
    expect(words(well)).toContain('All 21 masternodes vote. 21 masternodes');
    const silent: Masternode = { address: `0x${'f'.repeat(40)}`, name: 'down', vote: 'silent' };
    const leaving: Masternode = { address: `0x${'e'.repeat(40)}`, name: 'away', vote: 'votes', leavesInEpoch: 8 };
    const [open = '', folded = ''] = tableOf(many(21, [leaving, silent])).split('<details>');
    expect(rowsOf(open)).toEqual(['down 0xffff…ffff silent', 'away 0xeeee…eeee votes drops out in epoch 8']);
    expect(words(folded)).toContain('21 other masternodes');
    expect(rowsOf(folded)).toHaveLength(21);
  });

  test('of ten thousand leads to the rest', () => {
    const html = tableOf(many(10_000));
    expect(rowsOf(html)).toHaveLength(200);
    expect(words(html)).toContain('9,800 more are in masternodes.json');
    expect(html).toContain('href="/masternodes.json?subnet=devnet"');
  });
});
