import { reportProblems } from './problem-rule.ts';

/** Alerts about a single node. */
export const nodeRules = reportProblems(
  { dashboard: 'subnetd-node' },
  {
    SubnetNodeDown: {
      summary: 'A node of {{ $labels.subnet }} does not answer.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} answers no JSON-RPC call, although Docker does not say that its container is stopped. Read the end of its log; the status page says what to do.',
    },
    SubnetNodeStalled: {
      summary: 'The height of a node of {{ $labels.subnet }} does not rise.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} answers and has peers, but its block has not risen while others rise. Restart it; if it stalls again, check its disk and its memory.',
    },
    SubnetNodeBehind: {
      summary: 'A node of {{ $labels.subnet }} is behind.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} is behind the other nodes, or its height falls again and again. Wait while the distance shrinks; else check its disk and its processor.',
    },
    SubnetNodeTellsNoBlock: {
      summary: 'A node of {{ $labels.subnet }} is running, but subnetd does not get its latest block.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} does not answer the call for its latest block, or its RPC cannot be reached. The reason of its check latest_block on the status page says which.',
    },
    SubnetNodePartitioned: {
      summary: 'A node of {{ $labels.subnet }} is cut off from the others.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} runs and answers, but has no peers while the others have. Open its p2p port over TCP and UDP, and check its bootnode address and the firewall. A restart does not help.',
    },
    SubnetNodePeersMissing: {
      summary: 'A node of {{ $labels.subnet }} does not have the peers that it should have.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} has more or fewer peers than expected, and no node that is down explains it. Check that the p2p ports of the nodes are open to each other over TCP and UDP, and that the bootnode runs.',
    },
    SubnetNodeOtherChain: {
      summary: 'A node of {{ $labels.subnet }} is on another chain.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} has another chain id or genesis block than the other nodes. Give it the genesis file of the subnet, move only its chain data out of its data folder and let it sync again, or correct its address in the inventory.',
    },
    SubnetNodeHeightNotCredible: {
      summary: 'A node of {{ $labels.subnet }} claims a height that no other node has.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} claims blocks that no quorum of nodes has reached, so its height counts for nothing. See what answers at its address, then let it sync again.',
    },
    SubnetNodeNotVoting: {
      summary: 'A masternode of {{ $labels.subnet }} does not vote.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} runs and follows the chain, but signs no votes and misses its rounds. Check that its key is the one of its masternode address, that it mines, and that its clock is right.',
    },
    SubnetMasternodeMissing: {
      ofSubnet: true,
      dashboard: 'subnetd-fleet',
      summary: 'A masternode of {{ $labels.subnet }} has no node, or two.',
      description:
        'The chain of {{ $labels.subnet }} counts on a masternode that signs nothing and whose key no node has, or two nodes run with one key, which is one vote. The problem on the status page names the address and the nodes.',
    },
    SubnetDoubleVote: {
      ofSubnet: true,
      dashboard: 'subnetd-fleet',
      summary: 'A masternode of {{ $labels.subnet }} signed two blocks that exclude each other.',
      description:
        'With one key of {{ $labels.subnet }} two blocks of one round were signed, or blocks that exclude each other, as a node has proved. Find what else signs with that key and stop it. The incident on the status page has the votes, to export and to check.',
    },
    SubnetUpgradeMissing: {
      summary: 'A node of {{ $labels.subnet }} lacks a coming change of the consensus settings.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} does not know settings that the other nodes follow from a coming round on. From then on it refuses their blocks. Give it the same genesis file and the same image as the others before that round.',
    },
    SubnetMasternodePenalised: {
      summary: 'A masternode of {{ $labels.subnet }} is penalised.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} made too few blocks in an epoch, so the chain has left it out. Find out why it missed its rounds; it may take part again after some epochs.',
    },
    SubnetNextEpochAtRisk: {
      ofSubnet: true,
      dashboard: 'subnetd-fleet',
      summary: 'The next epoch of {{ $labels.subnet }} begins without a masternode, or without a spare vote.',
      description:
        'If all nodes of {{ $labels.subnet }} go on as they do, the chain leaves out a masternode when it chooses those of the next epoch, or leaves no vote to spare. The problem on the status page says whom and why, and up to which block its operator can still keep it in.',
    },
    SubnetNodeLags: {
      summary: 'A masternode of {{ $labels.subnet }} is always the last, or misses more of its turns than the others.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} takes part, but misses clearly more of its turns than the other masternodes, or has each block a good while after them. The problem on the status page has the shares, and what sets it apart as far as that is known. Look at the disk, the processor and the network of its machine before the chain leaves it out.',
    },
    SubnetNodeClockSkewed: {
      summary: 'The clock of a node of {{ $labels.subnet }} is wrong.',
      description:
        'By the times in its log, the clock of {{ $labels.name }} of {{ $labels.subnet }} differs from those of the other machines by 5 s or more. A masternode with a wrong clock may miss its rounds, each of which costs a timeout. Set its clock, and keep it right with chrony.',
    },
    SubnetDiskFilling: {
      summary: 'A disk of {{ $labels.subnet }} is filling up.',
      description:
        'A disk that holds data or logs of {{ $labels.subnet }} is full within a week at its pace, or a node says that less than 5 % of it are free. The problem on the status page names the folder, the pace and what to type.',
    },
    SubnetDiskFull: {
      summary: 'A disk of {{ $labels.subnet }} is full, or within an hour.',
      description:
        'A disk that holds data or logs of {{ $labels.subnet }} is full within an hour at its pace, has next to nothing free, or a program has found no space on it. A node that finds no space ends, and may lose its chain. Free space on it now.',
    },
    SubnetNodeLogFault: {
      summary: 'The log of a node of {{ $labels.subnet }} shows a fault.',
      description:
        'The height in the log of {{ $labels.name }} of {{ $labels.subnet }} does not rise, or the log has shown an error. The reason of its check log_block on the status page names the pattern and the remedy.',
    },
    SubnetBootnodeMissesNode: {
      dashboard: 'subnetd-services',
      summary: 'The bootnode of {{ $labels.subnet }} does not hear every node.',
      description:
        'The bootnode of {{ $labels.subnet }} has not heard a node that runs, or its log shows an error. The reason of its check messages on the status page names the node: open UDP from its p2p port to port 20301 of the bootnode.',
    },
    SubnetBootnodeUnused: {
      summary: 'A node of {{ $labels.subnet }} does not use the bootnode of the others.',
      description:
        'The container of {{ $labels.name }} of {{ $labels.subnet }} was created with another bootnode than most nodes, and has peers only because the others found it. Correct the bootnode in its env file and recreate it.',
    },
  },
);
