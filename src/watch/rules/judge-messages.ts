import { formatDuration } from '../../lib/duration.ts';
import { listNames } from '../../lib/words.ts';
import type { BootnodeTarget } from '../../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { findHeardNodes } from './find-heard-nodes.ts';
import { readLog, readSince } from './find-log-fault.ts';
import type { View } from './view.ts';

/** Has the bootnode heard every node within its window? */
export function judgeMessages(view: View<BootnodeTarget>): Judgement {
  const logs = readLog(view, 'the log of the bootnode');
  if ('verdict' in logs) return logs;
  const { target, facts, subnet, settings, now } = view;
  const { bootnodeWindowMs } = settings.logs;
  // The nodes are unknown only for a saved log.
  const { nodes } = findHeardNodes(subnet, logs.heard ?? new Map());
  if (nodes.length === 0) return unknown('the bootnode has heard nobody');
  const missing = nodes.filter(({ heardAt }) => heardAt === undefined || now - heardAt >= bootnodeWindowMs);
  if (missing.length === 0)
    return pass(
      `the bootnode has heard ${nodes.length === 1 ? 'the only node' : `all ${nodes.length} nodes`} within ${formatDuration(bootnodeWindowMs)}`,
    );
  const names = listNames(missing.map(({ name }) => name));
  const readFor = now - readSince(facts, now);
  if (readFor < bootnodeWindowMs && missing.every(({ heardAt }) => heardAt === undefined))
    return unknown(
      `the bootnode has not been heard to speak with ${names} in the ${formatDuration(readFor)} that its log can show, and has ${formatDuration(bootnodeWindowMs)}`,
    );
  const noAddress = missing.some(({ address }) => address === undefined);
  return fail(
    `the bootnode has not heard ${names} for ${formatDuration(bootnodeWindowMs)}`,
    `start ${missing.length > 1 ? 'them' : 'it'}, or open UDP from ${missing.length > 1 ? 'their p2p ports' : 'its p2p port'}${noAddress ? ', or add p2p to the nodes of the inventory' : ''}; if the bootnode prints nothing at all, give it -verbosity 6 and ${commandToSeeLog(target)}`,
  );
}
