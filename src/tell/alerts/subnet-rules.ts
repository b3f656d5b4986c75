import { reportProblems } from './problem-rule.ts';

/** Alerts about what users of a subnet notice; these page. */
export const subnetRules = reportProblems(
  { dashboard: 'subnetd-fleet', ofSubnet: true },
  {
    SubnetHalted: {
      summary: 'The subnet {{ $labels.subnet }} is halted.',
      description:
        'No node of {{ $labels.subnet }} shows new blocks. More than two thirds of the masternodes must run and reach each other: 3 of 4, or all of 3. The status page names the nodes that are missing and the command for each.',
    },
    SubnetFinalityStalled: {
      summary: 'The subnet {{ $labels.subnet }} commits no blocks.',
      description:
        'Blocks of {{ $labels.subnet }} come, but none has been committed for a minute. Three rounds in a row must bring a block each: look for nodes that time out, and for clocks that differ.',
    },
    SubnetQuorumAtRisk: {
      summary: 'The subnet {{ $labels.subnet }} halts when one more node fails.',
      description:
        'As many nodes of {{ $labels.subnet }} as it can lose take no part. The status page names them and the command for each. Bring them back before any other work, and restart no other node.',
    },
    SubnetChainForked: {
      summary: 'The nodes of {{ $labels.subnet }} are on different chains.',
      description:
        'At one height the nodes of {{ $labels.subnet }} have different blocks. The status page names the minority. Stop it, keep its data for later, and let it sync again from the others.',
    },
    SubnetChainReplaced: {
      summary: 'The chain of {{ $labels.subnet }} was replaced by a new one.',
      description:
        'Every node of {{ $labels.subnet }} has another genesis block or another chain id than before. If that was done on purpose, give the relayer and the inventory the contract of the new chain. If not, find out who removed the data of the nodes.',
    },
  },
);

/** Alerts about how a subnet is set up: what is worth a change before it breaks. */
export const setupRules = reportProblems(
  { dashboard: 'subnetd-fleet' },
  {
    SubnetSetupDrift: {
      summary: 'Something in the set-up of {{ $labels.subnet }} is worth a change.',
      description:
        'Nothing of {{ $labels.subnet }} is broken yet. Run subnetd doctor: it prints each finding with its target, what was seen and the line that fixes it.',
    },
    SubnetExposed: {
      summary: 'Anyone can use something of {{ $labels.subnet }} that only its operator should reach.',
      description:
        'A node of {{ $labels.subnet }}, the Docker Engine below it, or subnetd itself does for everybody what it should do only for its operator. The problem on the status page says where, and names the line to change; until then, close the port in the firewall.',
    },
  },
);
