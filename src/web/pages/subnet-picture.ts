import { html } from 'hono/html';
import { MINUTE_MS } from '../../lib/duration.ts';
import { formatRange } from '../../lib/words.ts';
import { isCredible } from '../../model/chain.ts';
import type { Steps } from '../../model/history.ts';
import { isAsked } from '../../model/is-judged.ts';
import { isBlind } from '../../model/problem-catalog.ts';
import { findContainer } from '../../model/restart-cause.ts';
import { consensusOf, type SubnetState, type TargetState } from '../../model/snapshot.ts';
import { findGap } from '../../watch/clients/find-gap.ts';
import { type Html, shape, standingOf } from '../frame/marks.ts';
import { ago, asOfNow, at, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { checkpointItem } from './checkpoint-item.ts';
import { type Figure, figureList } from './figures.ts';
import { quorumSeats, type Seat, shorten, shownVote } from './masternodes.ts';
import { withCommands } from './paths.ts';
import { peerMesh } from './peer-mesh.ts';
import { otherWalletItems, packetsItem } from './relay-items.ts';
import { describeNow } from './target-rows.ts';
import { toAxis } from './time-axis.ts';
import { walletItem } from './wallet-item.ts';

export const nodesOf = (targets: readonly TargetState[]): readonly TargetState[] =>
  targets.filter(({ target }) => target.component === 'node');

/** Blocks a minute as the chain's own mining period has it. */
export function expectedPace(state: Pick<SubnetState, 'targets' | 'epoch'>): number | undefined {
  const { minePeriodMs } = consensusOf(state) ?? {};
  return minePeriodMs ? Math.round(MINUTE_MS / minePeriodMs) : undefined;
}

function heightFigures({ reference, targets }: SubnetState, { toWall, nowWall }: Moment): readonly Figure[] {
  const nodes = nodesOf(targets);
  // A log shows a block before the next node is asked for it.
  const blocks = nodes.flatMap(({ facts: { node, logs, container } }) => {
    const { height: number = 0, advancedAt = 0 } = logs?.node ?? {};
    const read = node?.observation.latest.ok && node.latest?.risen ? [node.latest] : [];
    // What came before it was on another chain says nothing of this one. Nor may what came before its start, if it is above the others.
    const { at: replacedAt = 0 } = node?.chain?.replaced ?? {};
    const startedAt = findContainer(container)?.startedAt ?? logs?.node?.startedAt ?? 0;
    const isOfChain = (one: { readonly number: number; readonly advancedAt: number }) =>
      one.advancedAt >= Math.max(replacedAt, one.number > (reference ?? 0) ? startedAt : 0);
    return [...read, { number, advancedAt }].filter((one) => isCredible(one.number, reference) && isOfChain(one));
  });
  // A node that comes up to the others later brings no new block.
  const top = Math.max(reference ?? 0, ...blocks.map(({ number }) => number));
  const risenAt = Math.min(...blocks.flatMap(({ number, advancedAt }) => (number === top ? advancedAt : [])));
  // The height is that of half of the nodes, so this may be the block after it.
  const newest = top === reference ? 'last block' : `block ${count(top)}`;
  const rose = Number.isFinite(risenAt) ? html`${newest} ${ago(toWall(risenAt), nowWall)}` : 'no new block seen yet';
  const gap = findGap(nodes);
  const height = reference === undefined ? [] : [{ name: 'Height', value: count(reference), beside: rose }];
  if (reference === undefined || gap === undefined) return height;
  return [
    ...height,
    {
      name: 'Unfinalised',
      value: gap === 1 ? '1 block' : `${count(gap)} blocks`,
      beside: `final up to ${count(Math.max(0, reference - gap))}`,
    },
  ];
}

/** No node can be reached from here, which says nothing about them. */
const isUnseen = ({ problems }: SubnetState): boolean =>
  problems.some(({ problem, state }) => isBlind(problem) && state !== 'clearing');

/** No block comes, however many can vote. */
export const isHalted = ({ problems }: SubnetState): boolean =>
  problems.some(({ problem, state }) => problem === 'subnet_halted' && state === 'open');

function findFigures(
  state: SubnetState,
  blocks: Steps,
  expected: number | undefined,
  moment: Moment,
): readonly Figure[] {
  const { quorum } = state;
  const step = blocks.findLastIndex((count) => count !== undefined);
  const when = at(toAxis('1h', moment.nowWall).from + step * MINUTE_MS, moment.nowWall);
  const usual = expected === undefined ? '' : `${expected} expected`;
  const [last, beside] = isHalted(state)
    ? [0, usual]
    : [blocks[step], html`at ${when}${expected === undefined ? '' : `, ${usual}`}`];
  const pace = last === undefined || isUnseen(state) ? [] : [{ name: 'Pace', value: `${last} / min`, beside }];
  const { voting = 0, required = 0, starting = 0, doubtful = 0, together } = quorum ?? {};
  const spare = (together ?? voting) - required;
  const left = starting > 0 ? `${starting} starting` : `${formatRange(spare - doubtful, spare)} spare`;
  const votes =
    quorum === undefined
      ? []
      : [
          {
            name: 'Votes',
            value: `${together ?? formatRange(voting - starting - doubtful, voting - starting)} of ${quorum.total}`,
            beside: `${required} needed${spare < 0 ? `, ${-spare} missing` : isHalted(state) ? '' : `, ${left}`}`,
          },
        ];
  return [...heightFigures(state, moment), ...pace, ...votes];
}

const TITLE = { bootnode: 'Bootnode', relayer: 'Relayer', stats: 'Stats server', frontend: 'Frontend' } as const;

function service(state: TargetState, nowWall: number): Html {
  const { component } = state.target;
  const { standing } = standingOf(state);
  const title = component === 'node' ? state.target.name : TITLE[component];
  return html`<li>${shape(standing)}<b>${title}</b><span>${withCommands(asOfNow(describeNow(state), nowWall))}</span></li>`;
}

/** What is not as of now while the diagnosis breaks. */
function foundLine({ brokenDiagnosis }: SubnetState, { toWall, nowWall }: Moment): Html | string {
  const foundAt = brokenDiagnosis?.foundAt;
  if (foundAt === undefined) return '';
  return html`<p class="hint">Problems, height, votes and masternodes are as they were found at ${at(toWall(foundAt), nowWall)}.</p>`;
}

/** The masternodes with their votes: one for each key, whoever runs it; until the chain has named them, the nodes. */
const seatsOf = ({ epoch, members = [] }: SubnetState): readonly Seat[] =>
  epoch === undefined
    ? members.flatMap(({ name, vote }) => (vote === undefined ? [] : [{ name, vote }]))
    : epoch.masternodes.map((one) => ({
        name: one.name === undefined ? shorten(one.address) : [one.name, ...(one.alsoOf ?? [])].join(' and '),
        vote: shownVote(one),
      }));

/** The parts of a picture of a subnet, which each page arranges in its own way. `blocks` are those of the last minutes. */
export function pictureParts(state: SubnetState, blocks: Steps, moment: Moment) {
  const { targets, members = [], quorum } = state;
  const nodes = nodesOf(targets);
  return {
    found: foundLine(state, moment),
    figures: findFigures(state, blocks, expectedPace(state), moment),
    quorum: quorumSeats(seatsOf(state), quorum, { isHalted: isHalted(state), areAsked: nodes.every(isAsked) }),
    peers: isUnseen(state)
      ? html`<p class="empty">No node can be reached from here, so no connection is known.</p>`
      : peerMesh(nodes, members),
    services: targets.filter(({ target }) => target.component !== 'node').map((one) => service(one, moment.nowWall)),
  };
}

/** A subnet as a picture: figures, quorum, peers, services. One that is shown alone is named by the verdict above. */
export function subnetPicture(state: SubnetState, blocks: Steps, moment: Moment & { readonly isOnly?: boolean }): Html {
  const { subnet } = state;
  const { isOnly = false } = moment;
  const id = `picture-${subnet.name}`;
  const { found, figures, quorum, peers, services } = pictureParts(state, blocks, moment);
  return html`<section class="stack overview" aria-labelledby="${id}" id="state-${subnet.name}"><h2 id="${id}"${isOnly ? ' class=sr' : ''}>${subnet.name}</h2>
${found}${figureList(figures)}
<div class="grid picture">
<section class="panel" aria-labelledby="${id}-quorum"><h3 id="${id}-quorum">Quorum</h3>${quorum}</section>
<section class="panel" aria-labelledby="${id}-peers"><h3 id="${id}-peers">Peers</h3>${peers}</section>
${services.length === 0 ? '' : html`<section class="panel" aria-labelledby="${id}-services"><h3 id="${id}-services">Services</h3><ul class="services">${services}${checkpointItem(state, moment)}${packetsItem(state, moment)}${walletItem(state, moment)}${otherWalletItems(state, moment)}</ul></section>`}
</div>
</section>`;
}
