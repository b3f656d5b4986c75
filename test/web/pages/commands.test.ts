import { expect, test } from 'vitest';
import { commandBlock } from '../../../src/web/pages/paths.ts';

test.each([
  ['docker start n1', 'command'],
  ['HOSTPWD=$PWD docker compose -p dep up -d n1', 'command'],
  ['"log-opts": { "max-size": "20m" }', 'setting'],
  ['logging: { driver: json-file }', 'setting'],
  ['subnetd.ignore: "true"', 'setting'],
])('%s is called a %2$s', (text, called) => {
  expect(String(commandBlock(text, 'x'))).toContain(`Copy</span><span class="sr"> the ${called}: x</span>`);
});
