import { reportProblems } from './problem-rule.ts';

/** Alerts about how a subnet is set up: what is worth a change before it breaks. */
export const setupRules = [
  reportProblems({
    name: 'SubnetSetupDrift',
    dashboard: 'subnetd-fleet',
    summary: 'Something in the set-up of {{ $labels.subnet }} is worth a change.',
    description:
      'Nothing of {{ $labels.subnet }} is broken yet. Run subnetd doctor: it prints each finding with its target, what was seen and the line that fixes it.',
  }),
  reportProblems({
    name: 'SubnetExposed',
    dashboard: 'subnetd-fleet',
    summary: 'Anyone can use something of {{ $labels.subnet }} that only its operator should reach.',
    description:
      'A node of {{ $labels.subnet }}, the Docker Engine below it, or subnetd itself does for everybody what it should do only for its operator. The problem on the status page says where, and names the line to change; until then, close the port in the firewall.',
  }),
];
