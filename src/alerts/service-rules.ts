import { reportProblems } from './problem-rule.ts';

const ofService = { dashboard: 'subnetd-services' } as const;

/** Alerts about the relayer, the stats server and the frontend. */
export const serviceRules = [
  reportProblems({
    ...ofService,
    name: 'SubnetRelayerStopped',
    summary: 'The relayer of {{ $labels.subnet }} submits no blocks to the parent chain.',
    description:
      'The relayer of {{ $labels.subnet }} has submitted nothing for too long, or fails since its last submission. The reason of its check submissions on the status page says which, and what to fix; often a restart of its container is enough.',
  }),
  reportProblems({
    ...ofService,
    name: 'SubnetContractMissing',
    summary: 'The checkpoint contract of {{ $labels.subnet }} is not on the parent chain.',
    description:
      'The parent chain answers the relayer of {{ $labels.subnet }}, but has no contract at its address. Check CHECKPOINT_CONTRACT and PARENTNET_URL in common.env; after a reset of the parent chain deploy the contract again.',
  }),
  reportProblems({
    ...ofService,
    name: 'SubnetParentUnreachable',
    summary: 'The relayer of {{ $labels.subnet }} does not reach the parent chain.',
    description:
      'The node that PARENTNET_URL names does not answer the relayer of {{ $labels.subnet }}. Check that address from the container of the relayer, or name another node of the parent chain.',
  }),
  reportProblems({
    ...ofService,
    name: 'SubnetServiceDown',
    summary: 'A service of {{ $labels.subnet }} does not answer as it should.',
    description:
      'The {{ $labels.name }} of {{ $labels.subnet }} does not answer by HTTP as a healthy one does, for instance because its process ended in a container that lives on. Read its log, then restart its container.',
  }),
  reportProblems({
    ...ofService,
    name: 'SubnetStatsStale',
    summary: 'The stats server of {{ $labels.subnet }} gets no data from the nodes.',
    description:
      'No node sends the stats server of {{ $labels.subnet }} its blocks or its history. Check that STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes are those of the stats server, and restart it.',
  }),
  reportProblems({
    ...ofService,
    name: 'SubnetFrontendErrors',
    summary: 'The frontend of {{ $labels.subnet }} shows errors.',
    description:
      'The log of the frontend of {{ $labels.subnet }}, or its page in a browser, has shown errors. The reasons of its checks logs and console on the status page name them.',
  }),
];
