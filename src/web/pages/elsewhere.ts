import { html } from 'hono/html';
import { beginSentence, formatCount } from '../../lib/words.ts';
import type { FleetProblem } from '../../model/fleet.ts';
import type { ElsewhereSubnet, FleetView } from '../../model/fleet-view.ts';
import { type Headline, NOT_DIAGNOSED } from '../../model/headline.ts';
import { problemCatalog } from '../../model/problem-catalog.ts';
import { formatShard } from '../../model/shard.ts';
import { badge, type Html, standingOfSeverity } from '../frame/marks.ts';
import { ago, atSecond, clockSince, since } from '../frame/times.ts';
import type { Verdict } from './banner.ts';
import { commandBlock, commandsOf, subnetPath, withCommands } from './paths.ts';
import { problemId, runbookPath, toneOf } from './problem-card.ts';

/** A subnet that another instance watches, as the page shows it: what is not seen now is grey. Times are wall time. */
export interface ElsewhereState extends Verdict {
  readonly headline: Headline;
  readonly elsewhere: ElsewhereSubnet;
}

const nameShard = ({ shard }: Pick<ElsewhereSubnet, 'shard'>): string => `shard ${formatShard(shard)}`;

/** Who watches a subnet. */
const nameWatcher = (one: ElsewhereSubnet): string =>
  one.instance === undefined ? nameShard(one) : `${one.instance} (${nameShard(one)})`;

const lastKnown = ({ known }: ElsewhereSubnet): string =>
  known?.headline === undefined ? '' : ` Last known state: ${known.headline.sentence}.`;

function toHeadline(one: ElsewhereSubnet, { shards }: FleetView, nowWall: number): Headline {
  const { name, shard, sight, lastSeen = nowWall, known } = one;
  if (sight === 'seen') return known?.headline ?? NOT_DIAGNOSED;
  if (sight === 'unseen')
    return {
      standing: 'off',
      sentence: `${name} has not been seen since ${clockSince(lastSeen, nowWall)}`,
      detail: `${nameWatcher(one)} is silent.${lastKnown(one)}`,
      since: lastSeen,
    };
  if (sight === 'unknown')
    return {
      standing: 'off',
      sentence: `The state of ${name} is unknown here`,
      detail: `This instance cannot reach the database, or has just started.${lastKnown(one)}`,
    };
  const isShardSeen = shards.some((each) => each.shard.index === shard.index && each.sight === 'seen');
  return {
    standing: 'off',
    sentence: `No known instance watches ${name}`,
    detail: isShardSeen
      ? `${beginSentence(nameShard(one))} has not reported it yet.`
      : `${beginSentence(nameShard(one))} has never been seen: start it with \`--shard ${formatShard(shard)}\`.`,
  };
}

/** The subnets of a fleet that other instances watch. */
export const toElsewhereStates = (view: FleetView | undefined, nowWall: number): readonly ElsewhereState[] =>
  view?.elsewhere.map((one) => ({
    subnet: { name: one.name },
    headline: toHeadline(one, view, nowWall),
    elsewhere: one,
  })) ?? [];

const WORDS = { seen: 'unknown', unseen: 'unseen', missing: 'not watched', unknown: 'unknown' } as const;

/** The word for how it is, where nobody can say more. */
export const wordOf = ({ elsewhere }: ElsewhereState): string => WORDS[elsewhere.sight];

/** What is known of it in numbers, and who watches it. */
export function factsOf({ elsewhere }: ElsewhereState): readonly string[] {
  const { sight, known } = elsewhere;
  const counts =
    known === undefined
      ? []
      : [
          formatCount(known.targets, 'target', 'targets'),
          ...(known.failing === 0 ? [] : [`${known.failing} failing`]),
          ...(known.problemCount === 0 ? [] : [formatCount(known.problemCount, 'problem', 'problems')]),
        ];
  return sight === 'missing' ? counts : [...counts, `watched by ${nameWatcher(elsewhere)}`];
}

/** Where the target of a subnet is to be found that another instance watches. */
export const describeWhere = (elsewhere: ElsewhereSubnet): string =>
  elsewhere.instance === undefined
    ? `${elsewhere.name} belongs to ${nameShard(elsewhere)}, which has never been seen`
    : `${elsewhere.name} is watched by ${nameWatcher(elsewhere)}, which also has the pages of its targets`;

/** A problem that another instance has found. */
export function elsewhereCard(elsewhere: ElsewhereSubnet, problem: FleetProblem, nowWall: number): Html {
  const { severity, summary, fix, name } = problem;
  const id = problemId(elsewhere.name, problem);
  const alert = Object.entries(problemCatalog).find(([known]) => known === problem.problem)?.[1].alert;
  return html`<article class="problem ${toneOf(severity)}" aria-labelledby="${id}">
<header><h3 id="${id}">${beginSentence(summary)}</h3>
<p class="tags">${badge(standingOfSeverity(severity), severity)}<a href="${subnetPath(elsewhere.name)}">${elsewhere.name}</a><span>${since(problem.since, nowWall)}</span></p></header>
<div class="todo">
<p class="advice">${withCommands(beginSentence(fix))}.</p>
${commandsOf(fix).map((command) => commandBlock(command, summary))}
${alert === undefined ? '' : html`<p class="line"><a href="${runbookPath(alert, elsewhere.name, name)}">Runbook ${alert}</a></p>`}
</div>
<p class="hint seen">Found by ${nameWatcher(elsewhere)}, where the evidence is.</p>
</article>`;
}

/** A subnet that another instance watches, in full. */
export function elsewherePanel(state: ElsewhereState, nowWall: number): Html {
  const { subnet, elsewhere } = state;
  const { sight, lastSeen, known } = elsewhere;
  const id = `elsewhere-${subnet.name}`;
  const seen =
    lastSeen === undefined ? '' : html` ${sight === 'seen' ? 'As of' : 'Last seen'} ${ago(lastSeen, nowWall)}.`;
  const before = sight === 'seen' ? [] : (known?.problems ?? []);
  return html`<section class="panel" aria-labelledby="${id}" id="state-${subnet.name}"><h2 id="${id}">Where ${subnet.name} is watched</h2>
<p>${describeWhere(elsewhere)}.${seen}</p>
<p class="hint">${factsOf(state).join(', ')}</p>
${before.length === 0 ? '' : html`<p>Problems at that time:</p><ul>${before.map((one) => html`<li>${one.severity}: ${one.summary}, since ${atSecond(one.since)}</li>`)}</ul>`}
</section>`;
}
