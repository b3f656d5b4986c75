import { html } from 'hono/html';
import { formatCount } from '../../lib/words.ts';
import type { FleetView, InstanceView, ShardView } from '../../model/fleet-view.ts';
import { NOT_DIAGNOSED } from '../../model/headline.ts';
import { formatShard } from '../../model/shard.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import type { Section } from '../frame/frame.ts';
import { badge, type Html, shape } from '../frame/marks.ts';
import { ago, clockSince, count } from '../frame/times.ts';
import { worstFirst } from './banner.ts';
import { type ElsewhereState, factsOf, wordOf } from './elsewhere.ts';
import { subnetPath, withCommands } from './paths.ts';
import { type ListQuery, onlyUnhealthy } from './target-rows.ts';

const WORDS = { ok: 'healthy', warn: 'needs attention', bad: 'broken', off: 'unknown' } as const;

/** What a card says of a subnet. */
function describeSubnet(state: SubnetState | ElsewhereState) {
  const { standing, sentence } = state.headline ?? NOT_DIAGNOSED;
  if ('elsewhere' in state) {
    const { sight, known } = state.elsewhere;
    const word = standing === 'off' ? wordOf(state) : WORDS[standing];
    return { standing, sentence, word, facts: factsOf(state), before: sight === 'seen' ? undefined : known?.headline };
  }
  const { quorum, reference, targets } = state;
  const facts = [
    `${targets.length} targets`,
    reference === undefined ? '' : `block ${count(reference)}`,
    quorum === undefined ? '' : `${quorum.voting - (quorum.starting ?? 0)} of ${quorum.total} vote`,
  ].filter(Boolean);
  return { standing, sentence, word: WORDS[standing], facts, before: undefined };
}

function card(state: SubnetState | ElsewhereState): Html {
  const { name } = state.subnet;
  const { standing, sentence, word, facts, before } = describeSubnet(state);
  return html`<li class="panel ${standing}${standing === 'ok' ? ' well' : ''}"><h3><a href="${subnetPath(name)}">${name}</a></h3><p>${badge(standing, word)}</p><p>${sentence}</p>${before === undefined ? '' : html`<p class="hint">Last known state: ${before.sentence}</p>`}<p class="hint">${facts.join(', ')}</p></li>`;
}

/** As many tiles fit a screen. */
const MAX_TILES = 48;

/** Many subnets as tiles that fill a screen, the worst first, and how many are left of each kind. */
export function subnetTiles(subnets: readonly (SubnetState | ElsewhereState)[]): Html {
  const sorted = worstFirst(subnets);
  const more = Map.groupBy(sorted.slice(MAX_TILES), ({ headline }) => headline?.standing ?? 'off');
  const words = [...more].map(([standing, ones]) => `${count(ones.length)} ${WORDS[standing]}`);
  return html`<ul class="tiles">${sorted.slice(0, MAX_TILES).map((state) => {
    const { standing, sentence, word, facts } = describeSubnet(state);
    return html`<li class="${standing}">${shape(standing)}<h2>${state.subnet.name}</h2><b>${word}</b><p>${sentence}</p><p class="hint">${facts.join(', ')}</p></li>`;
  })}</ul>${words.length === 0 ? '' : html`<p>and ${count(sorted.length - MAX_TILES)} more: ${words.join(', ')}</p>`}`;
}

/** Many subnets, the worst first, with a search and a switch for those that are well. */
export function subnetGrid(
  subnets: readonly (SubnetState | ElsewhereState)[],
  { search = '', show }: ListQuery = {},
): Html {
  const found = worstFirst(subnets).filter(({ subnet }) => subnet.name.toLowerCase().includes(search.toLowerCase()));
  return html`<section class="stack" aria-labelledby="subnets" id="state-subnets"><h2 id="subnets">Subnets</h2>
<form class="bar" method="get" action="/"><label for="search">Search</label><input id="search" type="search" name="search" value="${search}">${onlyUnhealthy(show)}<button type="submit">Find</button></form>
${found.length === 0 ? html`<p class="empty">No subnet name contains "${search}". <a href="/">Show all</a>.</p>` : html`<ul class="cards">${found.map(card)}</ul>`}
</section>`;
}

const LOOKS = {
  seen: ['ok', 'seen'],
  unseen: ['bad', 'unseen'],
  missing: ['bad', 'never seen'],
  unknown: ['off', 'unknown'],
} as const;

const describeUnwatched = (subnets: number): string =>
  subnets === 0
    ? 'No subnet is left unwatched.'
    : `${formatCount(subnets, 'of its subnets is', 'of its subnets are')} not watched by anyone.`;

/** What is wrong with a shard, and what to do; undefined while it is seen, or nothing is known of it. */
function noticeOf({ shard, sight, instances, lastSeen }: ShardView, view: FleetView, nowWall: number) {
  const name = formatShard(shard);
  const subnets = view.elsewhere.filter((one) => one.shard.index === shard.index && one.sight !== 'seen').length;
  const unwatched = describeUnwatched(subnets);
  if (sight === 'missing')
    return {
      title: `Shard ${name} has never been seen`,
      detail: unwatched,
      advice: `Start it with \`--shard ${name}\` and the database of this fleet.`,
    };
  if (sight !== 'unseen' || lastSeen === undefined) return undefined;
  const names = instances.map(({ instance }) => instance).join(' and ');
  return {
    title: `Shard ${name} has not been seen since ${clockSince(lastSeen, nowWall)}`,
    detail: unwatched,
    advice: `Restart ${names}, or restore its connection to the database; its log says why it cannot connect.`,
  };
}

/** What is wrong with the shards of a fleet, above everything else. */
export function shardNotices(view: FleetView, nowWall: number): Section {
  const notices = view.shards.flatMap((shard) => noticeOf(shard, view, nowWall) ?? []);
  return {
    id: 'state-notices',
    html: html`<div class="stack" id="state-notices">${notices.length === 0 ? '' : html`<h2 class="sr">Unseen shards</h2>`}${notices.map(
      ({ title, detail, advice }, index) =>
        html`<article class="problem alarm" aria-labelledby="notice-${index}"><header><h3 id="notice-${index}">${title}</h3></header><p class="seen">${detail}</p>
<div class="todo"><p class="advice">${withCommands(advice)}</p><p class="line"><a href="/alerts/SubnetdShardUnseen">Runbook SubnetdShardUnseen</a></p></div></article>`,
    )}</div>`,
  };
}

const cell = (label: string, text: Html | string): Html => html`<td role="cell" data-l="${label}">${text}</td>`;

const row = ({ instance, shard, isOwn, sight, lastSeen, subnets, targets }: InstanceView, nowWall: number): Html => {
  const [standing, word] = LOOKS[sight];
  return html`<tr role="row"><th scope="row" role="rowheader">${formatShard(shard)}</th>${cell('Instance', isOwn ? `${instance} (this one)` : instance)}${cell('State', badge(standing, word))}${cell('Subnets', count(subnets))}${cell('Targets', count(targets))}${cell('Last seen', isOwn ? 'now' : ago(lastSeen, nowWall))}</tr>`;
};

const rowsOf = ({ shard, sight, instances }: ShardView, nowWall: number): readonly Html[] => {
  if (instances.length > 0) return instances.map((instance) => row(instance, nowWall));
  const [standing, word] = LOOKS[sight];
  return [
    html`<tr role="row"><th scope="row" role="rowheader">${formatShard(shard)}</th>${cell('Instance', 'none')}${cell('State', badge(standing, word))}${cell('Subnets', '')}${cell('Targets', '')}${cell('Last seen', '')}</tr>`,
  ];
};

const HEADS = ['Shard', 'Instance', 'State', 'Subnets', 'Targets', 'Last seen'];

/** The shards of a fleet with their instances. */
export const shardTable = ({ shards }: FleetView, nowWall: number): Section => ({
  id: 'state-shards',
  html: html`<section class="panel" aria-labelledby="shards" id="state-shards"><h2 id="shards">Fleet shards</h2>
<table class="rows" role="table"><thead role="rowgroup"><tr role="row">${HEADS.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead><tbody role="rowgroup">${shards.flatMap((shard) => rowsOf(shard, nowWall))}</tbody></table>
</section>`,
});
