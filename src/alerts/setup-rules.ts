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
];
