import { commandToCall, commandToSeeLog } from '../model/commands-to-type.ts';
import { formatDuration } from '../model/duration.ts';
import type { Progress } from '../model/facts.ts';
import type { NodeTarget } from '../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../model/verdict.ts';
import { judgeBlind } from './explain-blind-fault.ts';
import { explainFault } from './explain-fault.ts';
import type { View } from './view.ts';

function judgeStall(view: View<NodeTarget>, { number, riseDueSince }: Progress): Judgement {
  const { target, summary, settings, now } = view;
  const rising = summary.risen.some(({ name, advancedAt }) => name !== target.name && advancedAt > riseDueSince);
  const what = `the block ${number} of ${target.name} has not risen for ${formatDuration(now - riseDueSince)}`;
  if (summary.nodes === 1) return fail(`${what}; ${commandToSeeLog(target)}`);
  if (rising)
    return fail(`${what} while other nodes rise, so only this node stands; restart it, and ${commandToSeeLog(target)}`);
  const { stallAfterMs } = settings.rpc;
  return fail(
    `${what} and no other node rose meanwhile, so the subnet may be halted (limit ${formatDuration(stallAfterMs)}); check that more than two thirds of its masternodes run and reach each other`,
  );
}

/**
 * Does the node answer, is its height rising, and is it level with its peers? Another node's height counts as long as its
 * last probe obtained one; it was read before this one, so it can only be too low.
 */
export function judgeLatestBlock(view: View<NodeTarget>): Judgement {
  const { target, facts, summary, settings, consensus, now } = view;
  const { stallAfterMs, maxLag } = settings.rpc;
  if (facts.node === undefined) return unknown(`${target.name} has not been looked at yet`);
  const { observation, latest } = facts.node;
  if (!observation.latest.ok) {
    const { fault } = observation.latest;
    const blind = judgeBlind(fault, target);
    if (blind) return blind;
    const repeat =
      fault.kind === 'result-error'
        ? `; to see it run ${commandToCall('RPC_ADDRESS', `${consensus}_getV2BlockByNumber`, '["latest"]')}`
        : '';
    return fail(`${target.name} told no latest block: ${explainFault(fault, target, consensus)}${repeat}`);
  }
  if (latest === undefined) return unknown(`${target.name} has told no block yet`);

  const { number, fall } = latest;
  if (fall?.repeated && now - fall.at < stallAfterMs)
    return fail(
      `the block of ${target.name} falls again and again, last from ${fall.from} to ${fall.to}; it restarts in a loop or two nodes answer at its address, so ${commandToSeeLog(target)}`,
    );
  if (now - latest.riseDueSince >= stallAfterMs) return judgeStall(view, latest);
  const top = summary.highest;
  if (top !== undefined && top.number - number > maxLag)
    return fail(
      `${target.name} is at block ${number}, ${top.number - number} behind ${top.name} (limit ${maxLag}); wait if it is syncing, else check its peers and its disk`,
    );
  const where = `${target.name} is at block ${number}`;
  if (fall && now - fall.at < stallAfterMs)
    return pass(
      `${where}, after a fall from ${fall.from} to ${fall.to} ${formatDuration(now - fall.at)} ago, as an unclean stop causes`,
    );
  return pass(
    latest.risen
      ? `${where}, last seen to rise ${formatDuration(now - latest.advancedAt)} ago`
      : `${where}, and has time to rise`,
  );
}
