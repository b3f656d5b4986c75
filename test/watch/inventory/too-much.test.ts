import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';
import { runCommand } from '../../support/run-command.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { pathOf } = useCleanups();

const problemsOf = (text: string) => {
  const parsed = parseInventory(text, {});
  return parsed.ok ? [] : parsed.errors.map(({ line, column, what }) => `${line}:${column} ${what}`);
};
const times = (count: number, write: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i)).join('');

const DEEP =
  /^\d+:\d+ is nested deeper than 64 levels, which is too deep for an inventory; look for extra brackets or dashes/;
const KEYS = /^\d+:\d+ has more than 200 keys in one mapping; write subnets and nodes as lists/;

describe('an inventory with too much of something is refused at its place', () => {
  it.each([
    ['brackets', '['.repeat(200_000), DEEP],
    ['closed brackets', '['.repeat(200_000) + ']'.repeat(200_000), DEEP],
    ['braces', '{a: '.repeat(200_000), DEEP],
    ['dashes in a line', `${'- '.repeat(200_000)}a`, DEEP],
    ['question marks in a line', `${'? '.repeat(200_000)}a`, DEEP],
    ['mappings in mappings', times(3_000, (i) => `${' '.repeat(i)}a:\n`), DEEP],
    ['lists in lists', times(3_000, (i) => `${' '.repeat(i)}-\n`), DEEP],
    [
      'levels behind a good beginning',
      `subnets:\n  - name: d\n    nodes: ${'['.repeat(70)}`,
      /^3:\d+ is nested deeper/,
    ],
    ['keys', times(100_000, (i) => `k${i}: 1\n`), KEYS],
    ['keys in braces', `{${times(100_000, (i) => `k${i}: 1,`)}}`, KEYS],
    ['anchors', `[${times(100_000, (i) => `&a${i} x,`)}]`, /anchors and aliases; write out some of them/],
    ['aliases', `[&a x, ${times(100_000, () => '*a,')}]`, /anchors and aliases; write out some of them/],
  ])('%s', (_, text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('items', () => {
    expect(problemsOf(`[${'a,'.repeat(500_100)}]`)).toEqual([
      expect.stringMatching(/names, values and signs; let another subnetd watch part of it/),
    ]);
  });

  it('is not an alias for much that is wrong: each error has its place, within seconds', () => {
    const nodes = times(3_000, (i) => `      - { name: n${i}, rpc: 'http://a${i}:1', typo: 1 }\n`);
    const errors = problemsOf(`subnets:\n  - name: a\n    nodes: &nodes\n${nodes}  - { name: b, nodes: *nodes }\n`);
    expect(errors).toHaveLength(6_000);
    expect(errors.slice(-2)).toEqual(Array(2).fill('3003:47 is not a known key'));
  }, 10_000);

  it('as check-config says it', async () => {
    const file = pathOf('deep.yaml');
    await writeFile(file, `subnets: ${'['.repeat(200_000)}`);
    const { code, stderr } = await runCommand(['check-config', file]);
    expect([code, stderr]).toEqual([
      2,
      `${file}:1:72: inventory: is nested deeper than 64 levels, which is too deep for an inventory; look for extra brackets or dashes\n`,
    ]);
  });
});

describe('an inventory as large as any', () => {
  it('is read', () => {
    const nodes = times(
      10_000,
      (i) =>
        `      - name: n${i}\n        rpc: 'http://10.0.0.1:${i + 1}'\n        logFiles: [/var/log/xdc-${i}.log]\n`,
    );
    const parsed = parseInventory(`subnets:\n  - name: d\n    nodes:\n${nodes}`, {});
    expect(parsed.ok && parsed.inventory.subnets[0]?.targets.length).toBe(10_000);
  });
});
