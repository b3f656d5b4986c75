import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alertRules } from '../../src/alerts/alert-rules.ts';
import { FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { faultAlerts } from '../support/fault-alerts.ts';

const page = readFileSync(new URL('../../docs/fault-matrix.md', import.meta.url), 'utf8');

interface Row {
  readonly fault: string;
  readonly alert: string;
  readonly severity: string;
  readonly seconds: number;
  readonly inhibited: readonly string[];
}

/** The rows of the table; one without a fault is of the fault above it. */
const rows: Row[] = [];
for (const line of page.split('\n').filter((text) => /^\| .*\| \d+ \|/.test(text))) {
  const [, fault, alert = '', severity = '', seconds, inhibited = ''] = line.split('|').map((cell) => cell.trim());
  rows.push({
    fault: fault || (rows.at(-1)?.fault ?? ''),
    alert,
    severity,
    seconds: Number(seconds),
    inhibited: inhibited.split(', ').filter(Boolean),
  });
}

describe('the page of all faults', () => {
  it.each(FAULT_NAMES)('has for %s what is told and what is inhibited, as the tests expect it', (fault: FaultName) => {
    const { pages = [], tickets = [], inhibited = [], maybeInhibited = [] } = faultAlerts[fault];
    const own = rows.filter((row) => row.fault === fault);
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ severity }) => severity === 'critical').map(({ alert }) => alert)).toEqual(pages);
    expect(pages.length).toBeLessThanOrEqual(1);
    const others = own.filter(({ severity }) => severity !== 'critical').map(({ alert }) => alert);
    expect(others.toSorted()).toEqual([...tickets].sort());
    const held = own.flatMap((row) => row.inhibited).filter((name) => !maybeInhibited.some((other) => other === name));
    expect(held.toSorted()).toEqual([...inhibited].sort());
    for (const { alert, severity, seconds } of own) {
      expect(severity).toBe(alertRules.find(({ name }) => name === alert.split(' ')[0])?.severity);
      expect(seconds).toBeGreaterThan(0);
    }
  });

  it('knows no other fault, and names every alert that there is', () => {
    expect([...new Set(rows.map(({ fault }) => fault))].sort()).toEqual([...FAULT_NAMES].sort());
    for (const { name } of alertRules) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
