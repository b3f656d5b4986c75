import { describe, expect, test } from 'vitest';
import type { FoundFile } from '../../../../src/watch/logs/tail/find-log-files.ts';
import {
  chooseMatch,
  chooseSuccessor,
  isSameCopy,
  isSearchOver,
  mayHoldOther,
  planOtherFile,
  planOwnFile,
  planRest,
  type TrackedFile,
} from '../../../../src/watch/logs/tail/tracked-file.ts';

/** Of which 100 bytes were read, 1 s ago. */
const tracked = (given: Partial<TrackedFile> = {}): TrackedFile => ({
  state: 'active',
  since: 0,
  path: 'a.log',
  inode: '1',
  offset: 100,
  isOpen: true,
  readAt: 0,
  writtenAt: 5,
  ...given,
});
const found = (given: Partial<FoundFile> = {}): FoundFile => ({
  path: 'a.log',
  inode: '1',
  size: 100,
  writtenAt: 5,
  ...given,
});
const NOW = 1_000;

describe('the file of an active one', () => {
  test.each([
    ['is left alone while it does not change', {}, {}, 'nothing'],
    ['is read when it grows', {}, { size: 101 }, 'read'],
    ['is read when it is shorter', {}, { size: 99 }, 'read'],
    ['is read when it was written and is as long as before', {}, { writtenAt: 6 }, 'read'],
    ['is left alone while it is empty, whenever it was written', { offset: 0 }, { size: 0, writtenAt: 6 }, 'nothing'],
    ['stays open for a minute', { readAt: NOW - 60_000 }, {}, 'nothing'],
    ['is closed after a minute', { readAt: NOW - 60_001 }, {}, 'close'],
    ['is not closed twice', { readAt: NOW - 60_001, isOpen: false }, {}, 'nothing'],
  ] as const)('%s', (_, file, now, step) => {
    expect(planOwnFile(tracked(file), found(now), NOW)).toBe(step);
  });

  test('leaves the glob', () => {
    expect(planOwnFile(tracked(), undefined, NOW)).toBe('leave');
  });

  test.each([
    ['open', 100, true, true, false],
    ['closed, and another begins alike', 100, false, true, true],
    ['closed, and no other begins alike', 100, false, false, false],
    ['empty', 0, true, false, true],
  ])('that was %s is compared before it is read or not', (_, offset, isOpen, hasSibling, compared) => {
    expect(mayHoldOther(tracked({ offset, isOpen }), hasSibling)).toBe(compared);
  });
});

describe('of the tracked files that a file holds', () => {
  const match = (given: Partial<TrackedFile>, holds: 'all' | 'part' = 'all') => ({ original: tracked(given), holds });

  test('the one that was read furthest counts, even if the file holds only a part of it', () => {
    const whole = match({ inode: '2', offset: 100 });
    const part = match({ inode: '3', offset: 150 }, 'part');
    expect(chooseMatch([whole, part], '2')).toBe(part);
  });

  test('read equally far, the one with its inode counts, then an active, then a rotated one', () => {
    const done = match({ inode: '1', state: 'done' });
    const rotated = match({ inode: '2', state: 'rotated' });
    const active = match({ inode: '3', state: 'active' });
    expect(chooseMatch([done, rotated, active], '2')).toBe(rotated);
    expect(chooseMatch([done, rotated, active], '4')).toBe(active);
    expect(chooseMatch([done, rotated], '4')).toBe(rotated);
    expect(chooseMatch([], '4')).toBeUndefined();
  });
});

describe('a rotated file', () => {
  const original = tracked({ state: 'rotated', isOpen: false });
  const holds = (file: Partial<FoundFile>, part: 'all' | 'part' = 'all') => ({
    file: found(file),
    match: { original, holds: part },
  });

  test('continues in its own file, even if that has not grown', () => {
    const own = holds({ path: 'a.log.1', inode: '1', size: 100 });
    expect(chooseSuccessor(original, [holds({ inode: '2', size: 200 }), own])).toBe(own.file);
  });

  test('continues in the file that holds most, and of two equal ones in the one with its name', () => {
    const saved = holds({ inode: '2', size: 120 });
    const copy = holds({ path: 'a.log.1', inode: '3', size: 120 });
    expect(chooseSuccessor(original, [copy, saved])).toBe(saved.file);
    expect(chooseSuccessor(original, [saved, holds({ path: 'a.log.1', inode: '3', size: 121 })])?.inode).toBe('3');
  });

  test('does not continue in a file that holds what was read, or less, or other content', () => {
    const other = { file: found({ inode: '4', size: 200 }), match: undefined };
    expect(
      chooseSuccessor(original, [holds({ inode: '2' }), holds({ inode: '3', size: 200 }, 'part'), other]),
    ).toBeUndefined();
  });

  test.each([
    [false, 59_999, false],
    [false, 60_000, true],
    [true, 29_999, false],
    [true, 30_000, true],
  ])('is searched for a minute, or for 30 s while it is open (%s): after %i ms it is over: %s', (isOpen, ms, over) => {
    expect(isSearchOver(tracked({ state: 'rotated', since: NOW, isOpen }), NOW + ms)).toBe(over);
  });
});

describe('another file of the glob', () => {
  const active = tracked();
  const rotated = tracked({ state: 'rotated' });
  const done = tracked({ state: 'done' });
  const short = { original: rotated, holds: 'part', path: 'a.log', size: 50, writtenAt: 5, shortSince: 1_000 } as const;
  test.each([
    ['begins when it holds nothing that is known', 200, undefined, undefined, { step: 'begin' }],
    [
      'is followed when it holds more than a rotated one',
      101,
      { original: rotated, holds: 'all' },
      undefined,
      { step: 'follow' },
    ],
    [
      'is followed when it holds more than a done one',
      101,
      { original: done, holds: 'all' },
      undefined,
      { step: 'follow' },
    ],
    [
      'waits for its original when that is active',
      101,
      { original: active, holds: 'all' },
      undefined,
      { step: 'branch' },
    ],
    ['is a copy when it holds what was read', 100, { original: rotated, holds: 'all' }, undefined, { step: 'ignore' }],
    [
      'is a copy when it holds a part of an active one',
      50,
      { original: active, holds: 'part' },
      short,
      { step: 'ignore' },
    ],
    [
      'may be written when it is short',
      50,
      { original: done, holds: 'part' },
      undefined,
      { step: 'ignore', shortSince: 3_999 },
    ],
    ['may be written for 3 s', 50, { original: rotated, holds: 'part' }, short, { step: 'ignore', shortSince: 1_000 }],
    [
      'may be written for 3 s more when it has grown',
      60,
      { original: rotated, holds: 'part' },
      short,
      { step: 'ignore', shortSince: 3_999 },
    ],
  ] as const)('%s', (_, size, match, copy, step) => {
    const plan = planOtherFile(found({ inode: '2', size }), match, copy, 3_999);
    const of = {
      follow: { original: match?.original },
      branch: { original: match?.original },
      ignore: { match },
      begin: {},
    };
    expect(plan).toEqual({ ...step, ...of[step.step] });
  });

  test('was cut when it is short for 3 s', () => {
    expect(planOtherFile(found({ size: 50 }), { original: rotated, holds: 'part' }, short, 4_000)).toEqual({
      step: 'truncated',
    });
  });
});

describe('a copy', () => {
  const copyOf = (state: TrackedFile['state']) =>
    ({ original: tracked({ state }), holds: 'all', path: 'a.log.1', size: 100, writtenAt: 5 }) as const;

  test('that has not changed is compared again only while the rest of its content is searched for', () => {
    const same = (state: TrackedFile['state']) => isSameCopy(copyOf(state), found());
    expect([same('active'), same('done'), same('rotated')]).toEqual([true, true, false]);
  });

  test.each([{ size: 101 }, { size: 0 }, { writtenAt: 6 }])('that was written is compared again: %o', (file) => {
    expect(isSameCopy(copyOf('done'), found(file))).toBe(false);
  });

  test('that is short is compared until it has its length', () => {
    expect(isSameCopy({ ...copyOf('done'), shortSince: 0 }, found())).toBe(false);
    expect(isSameCopy(undefined, found())).toBe(false);
  });
});

describe('for a rotated file, a file outside of the glob', () => {
  const original = tracked({ state: 'rotated' });
  const other = tracked({ inode: '3', offset: 150 });
  test.each([
    ['is that under another name', original, '1', { original, holds: 'all' }, false, 'read-own'],
    ['is that under another name, though it was empty', { ...original, offset: 0 }, '1', undefined, false, 'read-own'],
    ['has taken its inode, and holds something else', original, '1', undefined, false, 'nothing'],
    ['is a copy with its remainder', original, '2', { original, holds: 'all' }, false, 'read-copy'],
    ['holds only a part of it', original, '2', { original, holds: 'part' }, false, 'nothing'],
    [
      'belongs to one that was read further and has its rest',
      original,
      '2',
      { original: other, holds: 'part' },
      true,
      'known',
    ],
    ['belongs to another', original, '2', { original: other, holds: 'all' }, false, 'nothing'],
    ['is unknown', original, '2', undefined, false, 'nothing'],
  ] as const)('%s', (_, file, inode, match, holdsAll, step) => {
    expect(planRest<TrackedFile>(file, found({ inode, path: 'a.log.1' }), match, holdsAll)).toBe(step);
  });
});
