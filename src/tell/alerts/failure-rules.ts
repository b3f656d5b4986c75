import { reportProblems } from './problem-rule.ts';

const ofService = { dashboard: 'subnetd-services' } as const;

/** Failures with a known sign, cause and fix; docs/known-failures.md describes each. */
export const failureRules = reportProblems(
  { dashboard: 'subnetd-node' },
  {
    SubnetIpcPathTooLong: {
      summary: 'A node of {{ $labels.subnet }} cannot start, as the path of its socket is too long.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} cannot make its socket XDC.ipc, whose path is longer than a unix socket may have. Move the folder of the deployment to a shorter path and recreate its containers.',
    },
    SubnetContainerOutOfMemory: {
      summary: 'A container of {{ $labels.subnet }} has run out of memory.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} was killed because memory ran out, or by an unrequested SIGKILL. Give the container or Docker more memory, or free memory on the machine.',
    },
    SubnetNodeHeadFell: {
      summary: 'The height of a node of {{ $labels.subnet }} has fallen.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} has lost blocks: it was killed, as each `docker stop` does, or its data was wiped. Wait until it has caught up; if it falls again and again, check its disk and its memory.',
    },
    SubnetNodeMinerStopped: {
      summary: 'A node of {{ $labels.subnet }} proposes no blocks.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} follows the chain, but its loop that proposes blocks has ended for good. Check that its address is among the masternodes, then restart it.',
    },
    SubnetNodeMasternodeUpdateFailed: {
      summary: 'A node of {{ $labels.subnet }} stopped at a gap block.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} could not read the validator contract and ended itself. Start it again; if it ends once more, check its socket and its disk, or let it sync again.',
    },
    SubnetNodeAddressInUse: {
      summary: 'A node of {{ $labels.subnet }} cannot start, as a port is taken.',
      description:
        'Another program has a port of {{ $labels.name }} of {{ $labels.subnet }}. End it, or give the node other ports in its env file.',
    },
    SubnetNodeDatabaseLost: {
      summary: 'A node of {{ $labels.subnet }} has lost its chain database.',
      description:
        'The chain database of {{ $labels.name }} of {{ $labels.subnet }} is gone or corrupt, as after a full disk. Check the disk, then let the node sync again from the others.',
    },
    SubnetNodeSnapshotLost: {
      summary: 'A node of {{ $labels.subnet }} has lost a snapshot or state that it needs.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} refuses blocks, as a kill has cost it the snapshot of a gap block or the state of a block. Restore a backup of its data folder from before that, or move only its chain data out of it and let it sync again.',
    },
    SubnetRelayerDead: {
      ...ofService,
      summary: 'The relayer of {{ $labels.subnet }} has ended in a container that lives on.',
      description:
        'The process of the relayer of {{ $labels.subnet }} has ended while its redis keeps the container up, so Docker restarts nothing. Fix the cause that its log names before that, then restart the container.',
    },
    SubnetRelayerRedisDead: {
      ...ofService,
      summary: 'The redis of the relayer of {{ $labels.subnet }} has ended.',
      description:
        'Without its redis the relayer of {{ $labels.subnet }} does nothing and says nothing. Restart its container, and look at its memory.',
    },
    SubnetRelayerIdle: {
      ...ofService,
      summary: 'The relayer of {{ $labels.subnet }} runs in no mode.',
      description:
        'The relayer of {{ $labels.subnet }} looks healthy but does nothing: PARENTNET_URL, PARENTNET_WALLET_PK or CHECKPOINT_CONTRACT is missing in common.env. Set all three, after deploying the checkpoint contract if there is none, and recreate the relayer.',
    },
    SubnetRelayerWalletEmpty: {
      ...ofService,
      summary: 'The wallet of the relayer of {{ $labels.subnet }} is out of funds.',
      description:
        'The relayer of {{ $labels.subnet }} cannot pay for its transactions. Send coins to the wallet PARENTNET_WALLET on the parent chain.',
    },
    SubnetStatsWithoutContract: {
      ...ofService,
      summary: 'The stats server of {{ $labels.subnet }} cannot start without the checkpoint contract.',
      description:
        'The stats server of {{ $labels.subnet }} restarts in a loop, as CHECKPOINT_CONTRACT is missing. Deploy the checkpoint contract, see that common.env names it, and recreate the stats server.',
    },
    SubnetFrontendWithoutRegistry: {
      ...ofService,
      summary: 'The frontend of {{ $labels.subnet }} cannot start without the package registry.',
      description:
        'The frontend of {{ $labels.subnet }} installs its web server at each start and does not reach registry.yarnpkg.com. Let its container reach it, by a proxy if need be.',
    },
  },
);
