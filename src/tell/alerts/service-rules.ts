import { reportProblems } from './problem-rule.ts';

/** What a wallet spends is known again some minutes after a restart of subnetd. */
const ofWallet = { keepFiringFor: '15m' } as const;

/** Alerts about the relayer, the stats server and the frontend. */
export const serviceRules = reportProblems(
  { dashboard: 'subnetd-services' },
  {
    SubnetRelayerStopped: {
      summary: 'The relayer of {{ $labels.subnet }} submits no blocks to the parent chain.',
      description:
        'The relayer of {{ $labels.subnet }} has submitted nothing for too long, or has been failing since its last submission. The reason of its check submissions on the status page says which, and what to fix; often a restart of its container is enough.',
    },
    SubnetContractMissing: {
      summary: 'The checkpoint contract of {{ $labels.subnet }} is not on the parent chain.',
      description:
        'The parent chain answers, but has no checkpoint contract at the address of {{ $labels.subnet }}. Check CHECKPOINT_CONTRACT and PARENTNET_URL in common.env; after a reset of the parent chain deploy the contract again.',
    },
    SubnetParentUnreachable: {
      summary: 'The parent chain of {{ $labels.subnet }} is not reached.',
      description:
        'The node that PARENTNET_URL names does not answer the relayer of {{ $labels.subnet }}, or that of parentChain.rpc does not answer subnetd. Check that address from the container of the relayer, or name another node of the parent chain.',
    },
    SubnetCheckpointBehind: {
      summary: 'The checkpoint of {{ $labels.subnet }} on the parent chain is behind.',
      description:
        'The checkpoint contract of {{ $labels.subnet }} does not follow its committed blocks, although the relayer shows no fault. See whether the relayer submits to this contract, and whether its transactions fail on the parent chain.',
    },
    SubnetCheckpointRefused: {
      summary: 'The checkpoint contract of {{ $labels.subnet }} refuses the next block.',
      description:
        'By an eth_call, the checkpoint contract of {{ $labels.subnet }} would refuse the block that the relayer submits next, so no block goes in any more. The status page has the words of the contract, what they mean and what to do.',
    },
    SubnetContractOfOtherChain: {
      summary: 'The checkpoint contract of {{ $labels.subnet }} belongs to another chain.',
      description:
        'The checkpoint contract of {{ $labels.subnet }} holds a block that the subnet does not have, as after a reset of the subnet. Deploy a new contract and name it in common.env and in the inventory.',
    },
    SubnetParentOtherChain: {
      summary: 'Another chain answers in the place of the parent chain of {{ $labels.subnet }}.',
      description:
        'The node of the parent chain of {{ $labels.subnet }} gives another chain id than when subnetd first asked. Name a node of the right chain; when the new chain is the right one, restart subnetd.',
    },
    SubnetParentBehind: {
      summary: 'The node of the parent chain of {{ $labels.subnet }} is behind, or its chain has halted.',
      description:
        'The node of the parent chain of {{ $labels.subnet }} shows no new blocks, or old ones. Ask another node: if that one is higher, use it, else the parent chain has halted.',
    },
    SubnetdParentUnseen: {
      summary: 'subnetd cannot read the checkpoint of {{ $labels.subnet }}.',
      description:
        'The node of the parent chain does not answer subnetd, while the relayer of {{ $labels.subnet }} submits. Whether its blocks arrive is not known. See that parentChain.rpc of the inventory is reached from here.',
    },
    SubnetPacketsStuck: {
      summary: 'Packets of XDC-Zero of {{ $labels.subnet }} do not arrive.',
      description:
        'Packets between {{ $labels.subnet }} and its parent chain have waited for ten minutes, and none arrives. The status page says in which direction, how many, and what the endpoints and the checkpoint contract show of the cause.',
    },
    SubnetRelayerWalletLow: {
      ...ofWallet,
      summary: 'The wallet of the relayer of {{ $labels.subnet }} runs out in less than a week.',
      description:
        'At what it spends now, the wallet of the relayer of {{ $labels.subnet }} has coins for less than 7 days. Send coins to the wallet PARENTNET_WALLET on the parent chain; the status page says how many.',
    },
    SubnetRelayerWalletNearlyEmpty: {
      ...ofWallet,
      summary: 'The wallet of the relayer of {{ $labels.subnet }} runs out in less than two days.',
      description:
        'At what it spends now, the wallet of the relayer of {{ $labels.subnet }} has coins for less than 2 days; then the relayer submits nothing. Send coins to the wallet PARENTNET_WALLET on the parent chain now.',
    },
    SubnetServiceDown: {
      summary: 'A service of {{ $labels.subnet }} does not answer as it should.',
      description:
        'The {{ $labels.name }} of {{ $labels.subnet }} does not answer by HTTP as a healthy one does, for instance because its process ended in a container that lives on. Read its log, then restart its container.',
    },
    SubnetStatsStale: {
      summary: 'The stats server of {{ $labels.subnet }} gets no new blocks or no history from the nodes.',
      description:
        'No node sends the stats server of {{ $labels.subnet }} its blocks or its history. Check that STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes are those of the stats server, and restart it.',
    },
    SubnetFrontendErrors: {
      summary: 'The frontend of {{ $labels.subnet }} shows errors.',
      description:
        'The log of the frontend of {{ $labels.subnet }}, or its page in a browser, has shown errors. The reasons of its checks logs and console on the status page name them.',
    },
  },
);
