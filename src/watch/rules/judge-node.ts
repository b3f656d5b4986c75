import { formatAgo, formatDuration } from '../../lib/duration.ts';
import { formatCount } from '../../lib/words.ts';
import { describeHealth, healthOf, isCredible } from '../../model/chain.ts';
import type { Fault } from '../../model/observation.ts';
import { findContainer, SILENT_START_MS } from '../../model/restart-cause.ts';
import type { NodeTarget } from '../../model/target.ts';
import { degraded, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { clientOf } from '../clients/clients.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { explainFault, judgeFault } from './explain-fault.ts';
import { findFall, hasLostData } from './known-failures.ts';
import { JUST_STARTED, type View } from './view.ts';

/** Fails a node that did not answer. One whose container was started a moment ago only needs time. */
function judgeSilence(what: string, fault: Fault, view: View<NodeTarget>, namespace: string): Judgement {
  const { target, facts, now } = view;
  const judged = judgeFault(what, fault, target, namespace, clientOf({ target, facts }));
  const isAsked = ['refused', 'closed', 'unreachable'].includes(fault.kind);
  const { running = false, startedAt = 0 } = findContainer(facts.container) ?? {};
  const isNew = running && now - startedAt < SILENT_START_MS;
  return isAsked && judged.verdict === 'fail' && isNew ? { ...judged, fix: JUST_STARTED } : judged;
}

/** Is the node connected to as many peers as it should be? */
export function judgePeers(view: View<NodeTarget>): Judgement {
  const { target, facts, now } = view;
  const client = clientOf({ target, facts });
  const { name, expectedPeers } = target;
  if (facts.node === undefined) return unknown(`${name} has not been checked yet`);
  const { peers, ipcFault } = facts.node.observation;
  const noIpc = ipcFault && explainFault(ipcFault, target, 'admin', client);
  const unhelpful = noIpc && `and its IPC socket is of no help: ${noIpc.seen}`;
  const lonely = healthOf(facts.node.chain, now).find((fault) => fault.of === 'peers');
  if (peers === undefined) {
    if (lonely !== undefined) return fail(`${name} says that ${lonely.seen}`, lonely.fix);
    const uncounted = (where: string) => `${name} serves neither admin nor net${where}, so its peers cannot be counted`;
    return noIpc === undefined
      ? unknown(uncounted(''), client.advice.openNamespace('net', target))
      : degraded(`${uncounted(' over HTTP')}, ${unhelpful}`, noIpc.fix);
  }
  if (!peers.ok) return judgeSilence(`${name} did not return its peers`, peers.fault, view, 'net');
  const { count, via } = peers.value;
  const has = `${name} has ${formatCount(count, 'peer', 'peers')}`;
  if (count < expectedPeers)
    return fail(`${has} instead of ${expectedPeers}`, 'check the bootnode and the firewall for the p2p ports');
  // A socket that is named is asked first, and right after the start of subnetd it is not open yet.
  if (via === 'net_peerCount' && client.hasAdmin && !(target.ipc && noIpc === undefined)) {
    const seen = `${has} by net_peerCount, which tells no more than a number`;
    return noIpc === undefined
      ? degraded(
          seen,
          `to see who they are, give ${name} the path of its XDC.ipc as ipc in the inventory; admin over HTTP would let whoever reaches that port change the node`,
        )
      : degraded(`${seen}, ${unhelpful}`, noIpc.fix);
  }
  return pass(has);
}

/** Does the node answer, is its height rising, and is it level with the others, as far as these were read before? */
export function judgeLatestBlock(view: View<NodeTarget>): Judgement {
  const { target, facts, reference, settings, consensus, now } = view;
  const { stallAfterMs, maxLag } = settings.rpc;
  if (facts.node === undefined) return unknown(`${target.name} has not been checked yet`);
  const { observation, latest } = facts.node;
  if (!observation.latest.ok)
    return judgeSilence(`${target.name} did not return its latest block`, observation.latest.fault, view, consensus);
  if (latest === undefined) return unknown(`${target.name} has returned no block yet`);

  const { number, fall } = latest;
  if (fall?.repeated && now - fall.at < stallAfterMs)
    return fail(
      `the block of ${target.name} falls again and again, last from ${fall.from} to ${fall.to}`,
      `see whether it restarts in a loop or two nodes answer at its address, and ${commandToSeeLog(target)}`,
    );
  const health = healthOf(facts.node.chain, now);
  // Its time begins anew when it is back from a silence, and its block is as old as before, which its log may show.
  const { height, advancedAt: printedAt = now } = facts.logs?.node ?? {};
  const sinceRise = Math.min(latest.advancedAt, latest.riseDueSince, height === number ? printedAt : now);
  const standsSince = fall && fall.at > latest.advancedAt ? latest.riseDueSince : sinceRise;
  if (now - latest.riseDueSince >= stallAfterMs)
    return fail(
      `the block ${number} of ${target.name} has not risen for ${formatDuration(now - standsSince)} (limit ${formatDuration(stallAfterMs)})${describeHealth(health)}`,
      [...health.map(({ fix }) => fix), commandToSeeLog(target)].join('; '),
    );
  if (reference !== undefined && reference - number > maxLag)
    return fail(
      `${target.name} is at block ${number}, ${reference - number} behind the other nodes (limit ${maxLag})`,
      'wait if it is syncing, else check its peers and its disk',
    );
  if (reference !== undefined && !isCredible(number, reference))
    return fail(
      `${target.name} claims block ${number}, ${number - reference} above what half of the nodes have reached`,
      'see what answers at its address',
    );
  const where = `${target.name} is at block ${number}`;
  const lost = findFall(facts);
  if (lost && now - lost.at < stallAfterMs)
    return pass(
      `${where}, after a fall from ${lost.from} to ${lost.to} ${formatAgo(lost.at, now)}, as ${hasLostData(facts) ? 'when its data was wiped' : 'an unclean stop or an older copy of its data causes'}`,
    );
  const rose = latest.risen ? `, last seen to rise ${formatAgo(latest.advancedAt, now)}` : ', and has time to rise';
  return pass(`${where}${rose}`);
}
