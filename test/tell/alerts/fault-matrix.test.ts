import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { IMPOSSIBLE, OTHER_KINDS, parseMatrix, stampOf, toMatrix, UNMEASURED } from '../../../scripts/matrix-page.ts';
import {
  BESIDES,
  besidesMs,
  findFirst,
  findWaits,
  parseAlert,
  SOON_MS,
  toMessageMs,
} from '../../../scripts/matrix-windows.ts';
import {
  demoNodeNames,
  expectedProblems,
  FAULT_NAMES,
  type FaultName,
  findFaultErrors,
} from '../../../src/demo/faults.ts';
import { alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { KINDS } from '../../support/demo-stage.ts';
import { faultAlerts, PROBLEMS_BEFORE } from '../../support/fault-alerts.ts';

const page = readFileSync(new URL('../../../docs/fault-matrix.md', import.meta.url), 'utf8');

const rows = parseMatrix(page);

const MEASURED = FAULT_NAMES.filter((fault) => !UNMEASURED.includes(fault));

const told = rows.flatMap((row) => {
  const first = findFirst(row);
  return first === undefined ? [] : [{ ...first, row, fault: row.fault }];
});

const late = told.filter(({ toldMs }) => toldMs > SOON_MS);

/** Seconds are measured by looking twice a second. */
const LOOK_MS = 1_000;

describe('the page of all faults', () => {
  it('is as `npm run matrix` writes it', () => {
    expect(toMatrix(rows)).toBe(page);
  });

  it.each(MEASURED)('has for %s the problems, and one message for a cause', (fault: FaultName) => {
    const { problems, pages, tickets, maybeInhibited } = faultAlerts[fault];
    const own = rows.find((row) => row.fault === fault);
    // A difference means that the rules have changed since: measure it again with `npm run matrix FAULT`.
    expect(own?.stamp, `run npm run matrix ${fault}`).toBe(stampOf(fault));
    expect(own?.problems.map((text) => text.replace(/ \(\d+ s\)$/, '')).toSorted()).toEqual(problems.toSorted());
    const alerts = own?.alerts.map(parseAlert) ?? [];
    const namesOf = (isPage: boolean) =>
      alerts.filter(({ severity }) => (severity === 'critical') === isPage).map(({ alert }) => alert);
    expect(namesOf(true)).toEqual(pages);
    expect(namesOf(false).toSorted()).toEqual(tickets.toSorted());
    expect(own?.messages).toBe(Math.sign(pages.length) + Math.sign(tickets.length));
    for (const alert of own?.inhibited ?? []) expect(maybeInhibited).toContain(alert);
    for (const { alert, severity, seconds } of alerts) {
      expect(severity).toBe(alertRules.find(({ name }) => name === alert.split(' ')[0])?.severity);
      expect(seconds).toBeGreaterThan(0);
    }
  });

  it.each(OTHER_KINDS)('has for %s every problem of each fault, and no other', (kind) => {
    const clients = KINDS[kind];
    const parts = { nodes: demoNodeNames(4), clients, browser: true };
    for (const { fault, kinds } of rows) {
      const name = fault as FaultName;
      const seen = kinds[kind].map((text) => text.replace(/ \(\d+ s\)$/, ''));
      const isPossible = findFaultErrors([name], 4, clients).length === 0;
      const wanted = isPossible ? [...expectedProblems([name], parts), ...(PROBLEMS_BEFORE[name] ?? [])] : [IMPOSSIBLE];
      expect(seen.toSorted(), `npm run matrix:kinds ${kind} ${fault}`).toEqual(wanted.toSorted());
    }
  });

  it.each(FAULT_NAMES)('expects at most one message of %s', (fault) => {
    const { pages, tickets } = faultAlerts[fault];
    expect(pages.length).toBeLessThanOrEqual(1);
    expect(Math.sign(pages.length) + Math.sign(tickets.length)).toBeLessThanOrEqual(1);
  });

  it('names a window for each fault that is told later than within a minute, and for no other', () => {
    const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const named = cells.filter(([, fault, , , window]) => rows.some((row) => row.fault === fault) && window !== 'none');
    expect(named.map(([, fault]) => fault)).toEqual(late.map(({ fault }) => fault));
  });

  it.each(late)('explains by its window when $fault is told', ({ row, severity, toldMs, others }) => {
    const waits = findWaits(row);
    const sum = (some: typeof waits) => some.reduce((total, { ms }) => total + ms, 0);
    expect(toldMs).toBeLessThanOrEqual(sum(waits) + besidesMs(severity));
    expect(toldMs).toBeGreaterThan(sum(waits.filter(({ isMost }) => !isMost)));
    for (const openMs of others) expect(openMs).toBeLessThanOrEqual(sum(waits) + 2 * BESIDES.roundMs);
  });

  it.each(told)('tells $fault soon after its problem is open', ({ severity, toldMs, openMs }) => {
    expect(toldMs - openMs).toBeLessThanOrEqual(toMessageMs(severity) + LOOK_MS);
  });

  it('knows no other fault, and names every alert that there is', () => {
    expect(rows.map(({ fault }) => fault)).toEqual(MEASURED);
    for (const { name } of alertRules) expect(page).toMatch(new RegExp(`\\b${name}\\b`));
  });

  it('reads back the rows that it writes', () => {
    const row = {
      fault: 'node-down',
      problems: ['quorum_at_risk (31 s)', 'container_down subnet2 (31 s)'],
      alerts: ['SubnetQuorumAtRisk (critical, 62 s)'],
      messages: 1,
      inhibited: ['SubnetdLogSourceDown subnet2'],
      kinds: { xdposchain: [], mixed: ['node_down subnet2 (31 s)', 'quorum_at_risk (31 s)'] },
      stamp: '0a1b2c3d',
    };
    const nothing = { ...row, fault: 'rolling-restart', problems: [], alerts: [], messages: 0, inhibited: [] };
    expect(parseMatrix(toMatrix([row, nothing]))).toEqual([row, nothing]);
  });
});
