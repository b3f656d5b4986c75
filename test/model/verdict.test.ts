import { expect, test } from 'vitest';
import { addFix, fail, formatReason, unknown } from '../../src/model/verdict.ts';

test('a reason says what was seen and then what to do, if there is anything to do', () => {
  expect(formatReason(fail('it does not answer; its port is closed', 'open it'))).toBe(
    'it does not answer; its port is closed; open it',
  );
  expect(formatReason(unknown('it has not been checked yet'))).toBe('it has not been checked yet');
});

test('a reason with a cause elsewhere names that cause, and nothing to do here', () => {
  expect(formatReason({ ...fail('it has 2 peers', 'check the firewall'), cause: 'another node is down' })).toBe(
    'it has 2 peers, because another node is down',
  );
});

test('something more to do follows what there was to do', () => {
  expect(addFix({ seen: 'it is broken', fix: 'repair it' }, 'read its log')).toEqual({
    seen: 'it is broken',
    fix: 'repair it; read its log',
  });
  expect(addFix({ seen: 'it is broken' }, 'read its log')).toEqual({ seen: 'it is broken', fix: 'read its log' });
});
