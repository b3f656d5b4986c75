import { html } from 'hono/html';
import type { SubnetState } from '../../model/snapshot.ts';
import { badge, type Html } from '../frame/marks.ts';
import { count } from '../frame/times.ts';
import { worstFirst } from './banner.ts';
import { type ElsewhereState, factsOf, wordOf } from './elsewhere.ts';
import { subnetPath } from './paths.ts';

const WORDS = { ok: 'well', warn: 'needs you', bad: 'broken', off: 'unknown' } as const;

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
  return html`<li class="panel ${standing}${standing === 'ok' ? ' well' : ''}"><h3><a href="${subnetPath(subnet.name)}">${subnet.name}</a></h3><p>${badge(standing, word)}</p><p>${sentence}</p>${before === undefined ? '' : html`<p class="hint">The last that was known: ${before}</p>`}<p class="hint">${factsOf(state).join(', ')}</p></li>`;
}

/** Many subnets, the worst first, with a search and a switch for those that are well. */
export function subnetGrid(subnets: readonly (SubnetState | ElsewhereState)[], search: string): Html {
  const found = worstFirst(subnets).filter(({ subnet }) => subnet.name.toLowerCase().includes(search.toLowerCase()));
  return html`<section class="stack" aria-labelledby="subnets" id="state-subnets"><h2 id="subnets">Subnets</h2>
<form class="bar" method="get" action="/"><label for="search">Search</label><input id="search" type="search" name="search" value="${search}"><button type="submit">Find</button><label><input type="checkbox" id="only-wrong"> Only what is wrong</label></form>
${found.length === 0 ? html`<p class="empty">No subnet has "${search}" in its name. <a href="/">Show all</a>.</p>` : html`<ul class="cards">${found.map((state) => ('elsewhere' in state ? elsewhereItem(state) : card(state)))}</ul>`}
</section>`;
}
