import { appendFileSync, copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createOpenFiles, type OpenFiles } from '../../../../src/watch/logs/file/open-files.ts';
import { numbered, text } from '../../../support/follow.ts';
import { useFolder } from '../../../support/recordings.ts';
import { sweptFiles } from '../../../support/swept-files.ts';

/** Calls `onPoint` wherever a sweep goes from one file to the next. */
function watchPoints(onPoint: () => void): OpenFiles {
  const { use } = createOpenFiles();
  return {
    use: async (work, keep) => {
      onPoint();
      try {
        return await use(work, keep);
      } finally {
        onPoint();
      }
    },
  };
}

/** Copies, truncates and packs a followed log at one point of a sweep. */
async function rotateDuring(pattern: string, rotateAt: number) {
  const folder = useFolder();
  const path = join(folder, 'a.log');
  let point = 0;
  let rotate = () => {};
  const onPoint = () => {
    if (point++ === rotateAt) rotate();
  };
  const { read, begin, look } = sweptFiles(join(folder, pattern), {
    openFiles: watchPoints(onPoint),
    onChunk: onPoint,
  });
  const set = begin();
  let lines = 0;
  const append = (count: number) => {
    appendFileSync(path, text(lines, lines + count));
    lines += count;
  };
  append(0);
  await look(set);
  append(20);
  await look(set);
  let isReached = true;
  for (const rotation of [1, 2]) {
    append(30);
    point = 0;
    let isRotated = false;
    rotate = () => {
      const copy = `${path}.${rotation}`;
      copyFileSync(path, copy);
      truncateSync(path);
      writeFileSync(`${copy}.gz`, gzipSync(readFileSync(copy)));
      rmSync(copy);
      append(40);
      isRotated = true;
    };
    await look(set);
    isReached &&= isRotated;
    if (!isRotated) rotate();
    rotate = () => {};
    for (let index = 0; index < 3; index++) await look(set);
    append(20);
    await look(set);
  }
  await set.close();
  return { isReached, read, written: numbered(0, lines) };
}

test.each(['a.log', 'a.log*'])(
  'a log that is copied, truncated and packed at any point of a sweep is read once (%s)',
  async (pattern) => {
    let points = 0;
    for (let isLast = false; !isLast; points++) {
      expect(points).toBeLessThan(100);
      const { isReached, read, written } = await rotateDuring(pattern, points);
      expect(read.toSorted(), `rotated at point ${points}`).toEqual(written.toSorted());
      isLast = !isReached;
    }
    // Opening, reading and comparing are points of their own.
    expect(points).toBeGreaterThan(3);
  },
);
