import { formatCount } from '../../lib/words.ts';
import { healthOf } from '../../model/chain.ts';
import type { NodeTarget } from '../../model/target.ts';
import { degraded, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { clientOf } from '../clients/clients.ts';
import { explainFault, judgeFault } from './explain-fault.ts';
import type { View } from './view.ts';

/** Is the node connected to as many peers as it should be? */
export function judgePeers({ target, facts, now }: View<NodeTarget>): Judgement {
  const client = clientOf({ target, facts });
  const { name, expectedPeers } = target;
  if (facts.node === undefined) return unknown(`${name} has not been checked yet`);
  const { peers, ipcFault } = facts.node.observation;
  const noIpc = ipcFault && explainFault(ipcFault, target, 'admin', client);
  const unhelpful = noIpc && `and its IPC socket is of no help: ${noIpc.seen}`;
  const lonely = healthOf(facts.node.chain, now).find((fault) => fault.of === 'peers');
  if (peers === undefined && lonely !== undefined) return fail(`${name} says that ${lonely.seen}`, lonely.fix);
  if (peers === undefined)
    return noIpc === undefined
      ? unknown(
          `${name} serves neither admin nor net, so its peers cannot be counted`,
          client.advice.openNamespace('net', target),
        )
      : degraded(
          `${name} serves neither admin nor net over HTTP, so its peers cannot be counted, ${unhelpful}`,
          noIpc.fix,
        );
  if (!peers.ok) return judgeFault(`${name} did not return its peers`, peers.fault, target, 'net', client);
  const { count, via } = peers.value;
  const has = `${name} has ${formatCount(count, 'peer', 'peers')}`;
  if (count < expectedPeers)
    return fail(`${has} instead of ${expectedPeers}`, 'check the bootnode and the firewall for the p2p ports');
  if (via === 'net_peerCount' && client.hasAdmin) {
    const seen = `${has} by net_peerCount, which tells no more than a number`;
    return noIpc === undefined
      ? degraded(
          seen,
          `to see who they are, give ${name} the path of its XDC.ipc as ipc in the inventory; admin over HTTP would let anybody there change the node`,
        )
      : degraded(`${seen}, ${unhelpful}`, noIpc.fix);
  }
  return pass(has);
}
