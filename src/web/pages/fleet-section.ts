import { html } from 'hono/html';
import { formatCount } from '../../lib/words.ts';
import type { FleetView, InstanceView, ShardView } from '../../model/fleet-view.ts';
import { formatShard } from '../../model/shard.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import type { Section } from '../frame/frame.ts';
import { badge, type Html } from '../frame/marks.ts';
import { ago, clockSince, count } from '../frame/times.ts';
import { worstFirst } from './banner.ts';
import { type ElsewhereState, factsOf, wordOf } from './elsewhere.ts';
import { subnetPath, withCommands } from './paths.ts';
import { type ListQuery, onlyUnhealthy } from './target-rows.ts';

const WORDS = { ok: 'healthy', warn: 'needs attention', bad: 'broken', off: 'unknown' } as const;

function card({ subnet, headline, quorum, reference, targets }: SubnetState): Html {
  const standing = headline?.standing ?? 'off';
  const facts = [
    `${targets.length} targets`,
    reference === undefined ? '' : `block ${count(reference)}`,
    quorum === undefined || quorum.total === 0 ? '' : `${quorum.voting} of ${quorum.total} vote`,
  ].filter(Boolean);
  return html`<li class="panel ${standing}${standing === 'ok' ? ' well' : ''}"><h3><a href="${subnetPath(subnet.name)}">${subnet.name}</a></h3><p>${badge(standing, WORDS[standing])}</p><p>${headline?.sentence ?? ''}</p><p class="hint">${facts.join(', ')}</p></li>`;
}

function elsewhereItem(state: ElsewhereState): Html {
  const { subnet, headline, elsewhere } = state;
  const { standing, sentence } = headline;
  const word = standing === 'off' ? wordOf(state) : WORDS[standing];
  const before = elsewhere.sight === 'seen' ? undefined : elsewhere.known?.headline?.sentence;
  return html`<li class="panel ${standing}${standing === 'ok' ? ' well' : ''}"><h3><a href="${subnetPath(subnet.name)}">${subnet.name}</a></h3><p>${badge(standing, word)}</p><p>${sentence}</p>${before === undefined ? '' : html`<p class="hint">Last known state: ${before}</p>`}<p class="hint">${factsOf(state).join(', ')}</p></li>`;
}

/** Many subnets, the worst first, with a search and a switch for those that are well. */
export function subnetGrid(
  subnets: readonly (SubnetState | ElsewhereState)[],
  { search = '', show }: ListQuery = {},
): Html {
  const found = worstFirst(subnets).filter(({ subnet }) => subnet.name.toLowerCase().includes(search.toLowerCase()));
  return html`<section class="stack" aria-labelledby="subnets" id="state-subnets"><h2 id="subnets">Subnets</h2>
<form class="bar" method="get" action="/"><label for="search">Search</label><input id="search" type="search" name="search" value="${search}">${onlyUnhealthy(show)}<button type="submit">Find</button></form>
${found.length === 0 ? html`<p class="empty">No subnet name contains "${search}". <a href="/">Show all</a>.</p>` : html`<ul class="cards">${found.map((state) => ('elsewhere' in state ? elsewhereItem(state) : card(state)))}</ul>`}
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
