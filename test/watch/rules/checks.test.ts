import { describe, expect, it } from 'vitest';
import type { CheckName } from '../../../src/model/verdict.ts';
import { checkTable } from '../../../src/watch/rules/checks.ts';
import { asRead, aView } from '../../support/views.ts';
import { checkCases, NOW } from './check-cases.ts';

describe.each(Object.entries(checkCases))('the check %s', (name, { target, others = [], pass, fail }) => {
  const check = checkTable[name as CheckName];
  const judge = (facts: (typeof pass)[0]) => asRead(check.judge(aView(target, facts, { now: NOW, others })));

  it('is for its target', () => {
    expect(check.isFor(target)).toBe(true);
  });

  it('passes a healthy target', () => {
    expect(judge(pass[0])).toEqual({ verdict: 'pass', reason: pass[1] });
  });

  it('fails one that is not, and says why', () => {
    expect(judge(fail[0])).toEqual({ verdict: 'fail', reason: expect.stringMatching(fail[1]) });
  });

  it('does not judge one that has not been probed', () => {
    expect(judge({}).verdict).toBe('unknown');
  });
});
