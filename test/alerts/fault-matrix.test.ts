import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMatrix, stampOf, toMatrix } from '../../scripts/matrix-page.ts';
import { alertRules } from '../../src/alerts/alert-rules.ts';
import { faultAlerts, MEASURED_FAULTS } from '../support/fault-alerts.ts';

const page = readFileSync(new URL('../../docs/fault-matrix.md', import.meta.url), 'utf8');

const rows = parseMatrix(page);

describe('the page of all faults', () => {
  it('is as `npm run matrix` writes it', () => {
    expect(toMatrix(rows)).toBe(page);
  });

  it.each(MEASURED_FAULTS)('has for %s the notifications and inhibitions that the tests expect', (fault) => {
    const { pages = [], tickets = [], inhibited = [], maybeInhibited = [] } = faultAlerts[fault];
    const own = rows.filter((row) => row.fault === fault);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ severity }) => severity === 'critical').map(({ alert }) => alert)).toEqual(pages);
    expect(pages.length).toBeLessThanOrEqual(1);
    const others = own.filter(({ severity }) => severity !== 'critical').map(({ alert }) => alert);
    expect(others.toSorted()).toEqual([...tickets].sort());
    const held = own.flatMap((row) => row.inhibited).filter((name) => !maybeInhibited.some((other) => other === name));
    expect(held.toSorted()).toEqual([...inhibited].sort());
    // A difference means that the rules have changed since: measure it again with `npm run matrix FAULT`.
    expect(own[0]?.stamp, `run npm run matrix ${fault}`).toBe(stampOf(fault));
    for (const { alert, severity, seconds } of own) {
      expect(severity).toBe(alertRules.find(({ name }) => name === alert.split(' ')[0])?.severity);
      expect(seconds).toBeGreaterThan(0);
    }
  });

  it('knows no other fault, and names every alert that there is', () => {
    expect([...new Set(rows.map(({ fault }) => fault))].sort()).toEqual([...MEASURED_FAULTS].sort());
    for (const { name } of alertRules) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
