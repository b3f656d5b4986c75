import { expect, test } from 'vitest';
import { joinFixes } from '../../../src/watch/clients/commands-to-type.ts';

test('what to do about several is said together where it is the same, or the same command, and one way each', () => {
  expect(
    joinFixes([
      { name: 'n1', fix: 'restart it with `docker restart s-n1-1`; if it hangs again, check the disk' },
      { name: 'n2', fix: '' },
      { name: 'n3', fix: 'find out what kills it: the kernel' },
      { name: 'n4', fix: 'restart it with `docker restart s-n4-1`; if it hangs again, check the disk' },
      { name: 'n5', fix: 'find out what kills it: the kernel' },
      { name: 'n6', fix: 'start it with `docker start s-n6-1`' },
      ...['n8', 'n9'].map((name) => ({ name, fix: `free memory, then start it with \`docker start s-${name}-1\`` })),
      { fix: 'give n7 its key back' },
    ]),
  ).toEqual([
    'for n1 and n4: restart them with `docker restart s-n1-1 s-n4-1`',
    'for each of n3 and n5: find out what kills it: the kernel',
    'for n6: start it with `docker start s-n6-1`',
    'for n8: free memory, then start it with `docker start s-n8-1`',
    'for n9: free memory, then start it with `docker start s-n9-1`',
    'give n7 its key back',
  ]);
});
