import pino from 'pino';
import { expect, test } from 'vitest';
import type { Incident } from '../../../src/model/incident.ts';
import { logIncident } from '../../../src/tell/incidents/follow-incidents.ts';

const words = { summary: 'n2 does not answer', evidence: 'nothing listens', fix: 'start it' };
const incident: Incident = {
  ...{ id: '1', subnet: 'devnet', problem: 'node_down', component: 'node', name: 'n2', severity: 'warning' },
  ...{ alert: 'SubnetNodeDown', foundAt: 0, startedAt: 1_000, first: words, last: words, returns: 0 },
  ...{ causes: [], effects: [], notified: [] },
};

function linesOf(one: Incident): Record<string, unknown> {
  const lines: string[] = [];
  const log = pino({ base: undefined, timestamp: false }, { write: (line: string) => void lines.push(line) });
  logIncident(log, one);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

test.each([
  ['critical', 50],
  ['warning', 40],
  ['info', 30],
] as const)(
  'a problem of severity %s is one line of its level, with what is wrong and what to do',
  (severity, level) => {
    expect(linesOf({ ...incident, severity })).toEqual({
      ...{ level, problem: 'node_down', subnet: 'devnet', component: 'node', name: 'n2' },
      ...{ summary: words.summary, fix: words.fix, msg: 'problem opened' },
    });
  },
);

test('its end is one line that says how long it lasted', () => {
  expect(linesOf({ ...incident, endedAt: 79_000, end: 'recovered' })).toEqual({
    ...{ level: 30, problem: 'node_down', subnet: 'devnet', component: 'node', name: 'n2', lasted: '1m 18s' },
    msg: 'problem over',
  });
});

test('one that comes back says so, with its newest words', () => {
  const last = { ...words, fix: 'read its log' };
  expect(linesOf({ ...incident, returns: 1, last })).toMatchObject({
    level: 40,
    fix: 'read its log',
    msg: 'problem reopened',
  });
});
