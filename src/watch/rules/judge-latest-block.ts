import { formatAgo, formatDuration } from '../../lib/duration.ts';
import { describeHealth, healthOf } from '../../model/chain.ts';
import type { Progress } from '../../model/facts.ts';
import type { NodeTarget } from '../../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { clientOf } from '../clients/clients.ts';
import { commandToSeeLog } from '../clients/commands-to-type.ts';
import { judgeFault } from './explain-fault.ts';
import { hasLostData } from './lost-data.ts';
import { isCredible, type View } from './view.ts';

function judgeStall({ target, facts, settings, now }: View<NodeTarget>, { number, riseDueSince }: Progress): Judgement {
  const { stallAfterMs } = settings.rpc;
  const health = healthOf(facts.node?.chain, now);
  return fail(
    `the block ${number} of ${target.name} has not risen for ${formatDuration(now - riseDueSince)} (limit ${formatDuration(stallAfterMs)})${describeHealth(health)}`,
    [...health.map(({ fix }) => fix), commandToSeeLog(target)].join('; '),
  );
}

/** Does the node answer, is its height rising, and is it level with the others, as far as these were read before? */
export function judgeLatestBlock(view: View<NodeTarget>): Judgement {
  const { target, facts, reference, settings, consensus, now } = view;
  const { stallAfterMs, maxLag } = settings.rpc;
  if (facts.node === undefined) return unknown(`${target.name} has not been checked yet`);
  const { observation, latest } = facts.node;
  if (!observation.latest.ok)
    return judgeFault(
      `${target.name} did not return its latest block`,
      observation.latest.fault,
      target,
      consensus,
      clientOf(view),
    );
  if (latest === undefined) return unknown(`${target.name} has returned no block yet`);

  const { number, fall } = latest;
  if (fall?.repeated && now - fall.at < stallAfterMs)
    return fail(
      `the block of ${target.name} falls again and again, last from ${fall.from} to ${fall.to}`,
      `see whether it restarts in a loop or two nodes answer at its address, and ${commandToSeeLog(target)}`,
    );
  if (now - latest.riseDueSince >= stallAfterMs) return judgeStall(view, latest);
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
  if (fall && now - fall.at < stallAfterMs)
    return pass(
      `${where}, after a fall from ${fall.from} to ${fall.to} ${formatAgo(fall.at, now)}, as ${hasLostData(facts) ? 'when its data was wiped' : 'an unclean stop causes'}`,
    );
  return pass(
    latest.risen
      ? `${where}, last seen to rise ${formatAgo(latest.advancedAt, now)}`
      : `${where}, and has time to rise`,
  );
}
