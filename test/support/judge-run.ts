import { alertRules } from '../../src/tell/alerts/alert-rules.ts';
import type { FaultAlerts } from './fault-alerts.ts';
import { type FaultRun, nameOf } from './run-fault.ts';
import type { Message } from './webhook.ts';

const same = (one: readonly string[], other: readonly string[]): boolean =>
  [...one].sort().join() === [...other].sort().join();

const say = (names: readonly string[]): string => [...names].sort().join(', ') || 'nothing';

/** What is wrong with the words, labels and links of a message about a subnet. */
function wordProblems({ receiver, alerts }: Message, subnet: string): readonly string[] {
  return alerts.flatMap(({ labels, annotations }) => {
    const { alertname = '', severity } = labels;
    const { summary = '', description = '', runbook_url, dashboard_url = '' } = annotations;
    const rule = alertRules.find(({ name }) => name === alertname);
    const isOfSubnet = labels.name === undefined && labels.component === undefined;
    // One alert may be of a target or of a whole subnet.
    const own = (rule?.labels ?? []).filter((label) => !(isOfSubnet && ['component', 'name'].includes(label)));
    const expected: readonly (readonly [boolean, string])[] = [
      [severity === rule?.severity, `has the severity ${severity}`],
      [receiver === (severity === 'critical' ? 'page' : 'ticket'), `goes to ${receiver}`],
      [same(Object.keys(labels), ['alertname', 'severity', ...own]), 'has other labels'],
      [summary.includes(subnet) && description.includes(subnet), 'does not name its subnet'],
      [!/[{}]|no value/.test(summary + description), 'has a text that was not filled in'],
      [
        runbook_url?.startsWith(`http://127.0.0.1:10545/alerts/${alertname}?subnet=${subnet}`) === true,
        `leads to ${runbook_url}`,
      ],
      [
        dashboard_url.startsWith('http://127.0.0.1:3000/d/subnetd-') && dashboard_url.includes(`var-subnet=${subnet}`),
        `leads to ${dashboard_url}`,
      ],
    ];
    return expected.filter(([is]) => !is).map(([, what]) => `${alertname} ${what}`);
  });
}

/** One sentence for each notification that was wrong, and for each that is missing. */
export function judgeRun(
  { fault, openAfter, messages, inhibited, late }: FaultRun,
  expected: FaultAlerts,
): readonly string[] {
  const errors = [...late];
  const { problems, maybeInhibited: maybe } = expected;
  const open = Object.keys(openAfter);
  if (!same(open, problems)) errors.push(`the problems were ${say(open)}, and not ${say(problems)}`);
  for (const [receiver, wanted] of [
    ['page', expected.pages],
    ['ticket', expected.tickets],
  ] as const) {
    const to = messages.filter((message) => message.receiver === receiver);
    for (const status of ['firing', 'resolved'] as const) {
      const told = to.filter((message) => message.status === status);
      if (told.length !== (wanted.length > 0 ? 1 : 0)) errors.push(`${receiver}: ${told.length} messages ${status}`);
      const names = new Set(
        told.flatMap(({ alerts }) => alerts.filter((alert) => alert.status === status).map(nameOf)),
      );
      // In the message that tells the end Alertmanager names besides what it had held back and what has ended with it.
      const meant = status === 'firing' ? names : names.difference(new Set<string>(maybe));
      if (!same([...meant], wanted))
        errors.push(`${receiver}: ${status} was ${say([...names])}, and not ${say(wanted)}`);
    }
  }
  const unknown = inhibited.filter((name) => !maybe.some((other) => other === name));
  if (unknown.length > 0) errors.push(`inhibited was ${say(unknown)} too`);
  return [...errors, ...messages.flatMap((message) => wordProblems(message, fault))].map(
    (error) => `${fault}: ${error}`,
  );
}
