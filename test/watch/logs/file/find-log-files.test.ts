import { globSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogFinder } from '../../../../src/watch/logs/file/find-log-files.ts';
import { useFolder } from '../../../support/recordings.ts';

const namesOf = async (find: ReturnType<typeof createLogFinder>) => {
  const found = await find();
  return found.ok ? found.files.map(({ path }) => basename(path)).sort() : found.fault.what;
};

it('a glob has the files that are there at each moment, with their sizes', async () => {
  const folder = useFolder();
  const write = (name: string, text = '') => writeFile(join(folder, name), text);
  const find = createLogFinder(join(folder, '*.log'));
  expect(await namesOf(find)).toBe('missing');
  await write('a.log');
  expect(await namesOf(find)).toEqual(['a.log']);
  await write('b.log');
  await write('c.txt');
  expect(await namesOf(find)).toEqual(['a.log', 'b.log']);
  await write('a.log', 'more');
  const found = await find();
  expect(found.ok && found.files.map(({ size }) => size).toSorted()).toEqual([0, 4]);
  await rename(join(folder, 'c.txt'), join(folder, 'c.log'));
  expect(await namesOf(find)).toEqual(['a.log', 'b.log', 'c.log']);
  await rm(join(folder, 'b.log'));
  expect(await namesOf(find)).toEqual(['a.log', 'c.log']);
  await rm(folder, { recursive: true });
  expect(await namesOf(find)).toBe('missing');
  await mkdir(folder);
  await write('a.log');
  expect(await namesOf(find)).toEqual(['a.log']);
});

it('a glob of a whole tree has what is new deep in it', async () => {
  const folder = useFolder();
  const find = createLogFinder(join(folder, '**'));
  await mkdir(join(folder, 'a'));
  await writeFile(join(folder, 'a', 'x.log'), '');
  expect(await namesOf(find)).toEqual(['x.log']);
  await writeFile(join(folder, 'a', 'y.log'), '');
  expect(await namesOf(find)).toEqual(['x.log', 'y.log']);
});

it.each(['*/x.log', '**/x.log', '{a,b}/*.log', '**'])('the folders of the glob %s may change', async (pattern) => {
  const folder = useFolder();
  const find = createLogFinder(join(folder, pattern));
  const write = async (name: string) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'x.log'), '');
    const found = await find();
    return found.ok && found.files.map(({ path }) => path).sort();
  };
  expect(await write('a')).toEqual([join(folder, 'a', 'x.log')]);
  expect(await write('b')).toEqual([join(folder, 'a', 'x.log'), join(folder, 'b', 'x.log')]);
});

it.each(['*.log', '?.log', '[!a].log', '{a,b}.log*', '.*', '*', '\\*.log'])(
  '%s means what it means to Node',
  async (pattern) => {
    const folder = useFolder();
    for (const name of ['a.log', 'b.log', 'b.log.1', '.c.log', 'back\\slash.log', 'é.log'])
      await writeFile(join(folder, name), '');
    const names = globSync(join(folder, pattern)).map((path) => basename(path));
    expect(await namesOf(createLogFinder(join(folder, pattern)))).toEqual(
      names.length === 0 ? 'missing' : names.sort(),
    );
  },
);
