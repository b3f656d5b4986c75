import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { knownFailures } from '../src/rules/known-failures.ts';

const page = readFileSync(new URL('../docs/known-failures.md', import.meta.url), 'utf8');

test('the page of known failures has a section for each entry of the table, word for word and in its order', () => {
  const sections = knownFailures.map(
    ({ name, of, symptom, cause, fix }) =>
      `## ${name}\n\nOf: ${of.join(', ')}.\n\n- **Symptom**: ${symptom}\n- **Cause**: ${cause}\n- **Fix**: ${fix}.\n`,
  );
  expect(page.slice(page.indexOf('\n## ') + 1)).toBe(sections.join('\n'));
});
