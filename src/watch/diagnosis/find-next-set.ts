import { formatDuration } from '../../lib/duration.ts';
import { formatCount, joinAnd, listEach } from '../../lib/words.ts';
import { describeReason, type NextSet } from '../../model/next-set.ts';
import { isStanding, type Problem, type ProblemIndex } from '../../model/problem.ts';
import { countReserve } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { describeReturn, findChosen, type Place, placeEpoch } from './find-epoch.ts';
import { predictNextSet } from './predict-next-set.ts';
import { countNextVotes, presenceBy, type Voters } from './quorum.ts';
import type { SubnetView } from './subnet-view.ts';
import { type Found, suspect } from './suspect.ts';

/** From so long before the choice on, its outcome is worth an alert. Earlier, most that is wrong is over in time. */
const BEFORE_CHOICE_MS = 10 * 60_000;

/** The set of the next epoch, predicted or as chosen; undefined until all is read that it follows from. */
export function viewNextSet(voters: Voters, { election }: SubnetFacts, now: number): NextSet | undefined {
  const { chain } = voters;
  const { counted, consensus: settings, epochsBy, nextEpoch } = chain;
  if (counted === undefined || settings === undefined || election === undefined) return undefined;
  const place = placeEpoch(chain, counted.masternodes);
  if (place === undefined) return undefined;
  const chosen = findChosen(chain, counted.masternodes) && nextEpoch;
  const presenceOf = presenceBy(voters, counted.at, now);
  return predictNextSet({ epochsBy, counted, settings, place, election, chosen, presenceOf });
}

/** The masternodes of the inventory that have turns now and none in the next epoch. */
const findLeavers = ({ nextSet, chain, masters }: SubnetView) =>
  (chain.masternodes?.active ?? []).flatMap((address) => {
    const [node, fate] = [masters.get(address), nextSet?.fates.get(address)];
    return node === undefined || fate === undefined || fate.state === 'active' ? [] : [{ node, fate }];
  });

/** What keeps them in the set, in the words of an order. */
function describeWayBack(leavers: ReturnType<typeof findLeavers>, view: SubnetView, periodMs: number): string {
  const { isChosen = false } = view.nextSet ?? {};
  const names = listEach(leavers, ({ node }) => node.name);
  const [first] = leavers;
  if (first === undefined) return 'restart no masternode until more of them vote';
  const { fate, node } = first;
  const bring = node.isOut
    ? `bring ${names} back`
    : `see why ${names} ${leavers.length === 1 ? 'makes' : 'make'} no blocks: log, clock and peers`;
  const late = isChosen ? ': the choice is made, so this counts from the next one on' : '';
  if (fate.state === 'removed')
    return `propose ${names} again in the validator contract, if that was not intended${late}`;
  if (fate.state === 'standby') return `add stake to ${names} in the validator contract, or lose its turns${late}`;
  const it = leavers.length === 1 ? 'it stays in the set if it signs' : 'they stay in the set if they sign';
  if (fate.signBy !== undefined) {
    const left = formatDuration(Math.max(0, fate.signBy - (view.reference ?? fate.signBy)) * periodMs);
    return `${bring} and in sync before block ${fate.signBy}, in about ${left}: ${it} that block`;
  }
  if (fate.makeBy !== undefined)
    return `${bring}: 1 block up to round ${fate.makeBy}, its last turn, keeps it in the set`;
  return `${bring} and keep ${leavers.length === 1 ? 'it' : 'them'} running${isChosen ? ': the choice is made, and the next one counts what is signed before it' : ''}`;
}

/**
 * What was foretold has come true, and is not over: for the epoch of which it was told, and for as long as the chain penalises the nodes.
 * Who has resigned on purpose has no turns in later ones either, which needs nobody. After a restart only its words are known.
 */
function findComeTrue(view: SubnetView, told: Problem | undefined, { number }: Place): Found {
  const { active = [], penalised = [], standby = [] } = view.chain.masternodes ?? {};
  if (told === undefined || !isStanding(told)) return undefined;
  const since = Number(/ epoch (\d+)/.exec(told.summary)?.[1]);
  const names = told.nodes ?? told.summary.split(/,? /);
  const isOut = (address: string) =>
    number === since ? !active.includes(address) : number > since && penalised.includes(address);
  const out = view.nodes.filter(({ name, address }) => names.includes(name) && address !== undefined && isOut(address));
  const [first] = out;
  if (first?.address === undefined) return undefined;
  const listed = listEach(out, ({ name }) => name);
  const has = out.length === 1 ? 'has' : 'have';
  const back = standby.includes(first.address)
    ? `add stake to ${listed} in the validator contract`
    : `propose ${listed} again in the validator contract, if that was not intended`;
  return suspect('next_epoch_at_risk', {
    about: told.about,
    nodes: out.map(({ name }) => name),
    summary: `${listed} ${has} ${number === since ? 'no turns in' : 'had no turns since'} epoch ${since}`,
    evidence: `as foretold, epoch ${number} goes on without ${listed}: ${formatCount(active.length, 'masternode has', 'masternodes have')} turns`,
    fix: penalised.includes(first.address) ? describeReturn(view, first.address, first.isOut) : back,
  });
}

/**
 * The next epoch begins without a masternode of the inventory, or without a vote to spare, unless somebody acts; or this one did, as was
 * told before.
 */
export function findNextSetProblem(view: SubnetView, before: ProblemIndex<Problem>): Found {
  const { nextSet, chain, nodes, reference, quorum } = view;
  const { counted, consensus, epochsBy } = chain;
  const place = counted && placeEpoch(chain, counted.masternodes);
  const votes = countNextVotes(view);
  if (!place) return undefined;
  const comeTrue = findComeTrue(view, before.get({ problem: 'next_epoch_at_risk' }), place);
  if (!nextSet || !consensus || !votes || reference === undefined) return comeTrue;
  const choice = epochsBy === 'round' ? place.nextFirstBlock : (place.choiceBlock ?? place.nextFirstBlock);
  const isDue = (choice - reference) * consensus.minePeriodMs <= BEFORE_CHOICE_MS;
  if (!isDue || !nodes.some(({ rises }) => rises)) return comeTrue;
  const leavers = findLeavers(view);
  const hasSpare = quorum !== undefined && countReserve(quorum) > 0;
  const isThin = hasSpare && votes.voting <= votes.required;
  if (leavers.length === 0 && !isThin) return comeTrue;
  const epoch = `epoch ${place.number + 1}`;
  const names = listEach(leavers, ({ node }) => node.name);
  const reasons = new Set(leavers.flatMap(({ fate }) => describeReason(fate) || []));
  const drop = `${names} ${nextSet.isChosen ? (leavers.length === 1 ? 'has' : 'have') : 'will have'} no turns in ${epoch}`;
  const spare = `${formatCount(votes.total, 'masternode has', 'masternodes have')} turns in ${epoch}, ${votes.voting} of them ${votes.voting === 1 ? 'votes' : 'vote'} now, and ${votes.required} are needed`;
  return suspect('next_epoch_at_risk', {
    about: names || 'the next masternodes',
    nodes: leavers.map(({ node }) => node.name),
    summary:
      leavers.length === 0
        ? `${epoch} begins with no spare vote`
        : `${drop}${isThin ? ', which leaves no spare vote' : ''}`,
    evidence: `${reasons.size === 0 ? '' : `${joinAnd([...reasons])}; `}${nextSet.isChosen ? 'as chosen' : 'if all go on as they do'} at block ${choice}${!nextSet.isChosen && epochsBy === 'round' ? ' at the latest' : ''}, ${spare}`,
    fix: describeWayBack(leavers, view, consensus.minePeriodMs),
  });
}
