import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toShellWord } from '../../src/lib/words.ts';
import type { ContainerRef, Target } from '../../src/model/target.ts';
import { commandToCreate, commandToRecreate, commandToSeeLog } from '../../src/watch/clients/commands-to-type.ts';
import { parseInventory } from '../../src/watch/inventory/parse-inventory.ts';

/** What the program `docker` would get from a command, by a real shell. */
const wordsOf = (command: string): readonly string[] =>
  execFileSync('sh', ['-c', `docker() { printf '%s\\0' "$@"; }; ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

/** The commands in a text, each between two backticks; the names of these tests hold none. */
const commandsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command);

test('any text is one word of a shell', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('\0') && text.isWellFormed());
      expect(wordsOf(`docker ${toShellWord(text)}`)).toEqual([text]);
    }),
    { numRuns: 60, examples: [['a\nb'], ['a;b'], ['~'], ['a b'], ["it's"], ['$(a)'], ['']] },
  );
});

const NASTY = 'x; rm -rf y $(z) \'a\' "b" *';

test.each<[string, ContainerRef]>([
  ['a container', { name: NASTY }],
  ['a service', { project: NASTY, service: NASTY }],
])('the name of %s stays one word of each command to copy', (_, container) => {
  const target = { component: 'node', name: 'n', container } as Target;
  const texts = [commandToSeeLog(target), commandToCreate(container), commandToRecreate(container)];
  const commands = texts.flatMap(commandsIn);
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands)
    expect(wordsOf(command).filter((word) => word.endsWith(NASTY)).length).toBeGreaterThan(0);
});

test('a name that Docker or Compose refuses is refused', () => {
  const isGood = (container: object) =>
    parseInventory(JSON.stringify({ subnets: [{ name: 's', nodes: [{ name: 'n', container }] }] }), {}).ok;
  for (const name of [NASTY, 'x; rm -rf y', '-v', 'a b', '', 'a/b', 'a\n']) expect(isGood({ name })).toBe(false);
  for (const project of ['x; rm -rf y', 'Generated', '_a', '-p', 'a.b', ''])
    expect(isGood({ project, service: 'subnet1' })).toBe(false);
  for (const service of ['x; rm -rf y', '-f', 'a/b', '']) expect(isGood({ project: 'generated', service })).toBe(false);
  for (const name of ['generated-subnet1-1', '/generated_subnet1_1', 'A.b-c', '4f6de9'])
    expect(isGood({ name })).toBe(true);
  expect(isGood({ project: 'my_subnet-2', service: 'Subnet.1_a-b' })).toBe(true);
});
