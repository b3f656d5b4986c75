import { html } from 'hono/html';
import { beginSentence } from '../../lib/words.ts';
import { describeEvidence, type ExplainedCheck, type Problem } from '../../model/problem.ts';
import type { ProblemSeverity } from '../../model/severity.ts';
import { badge, type Html, standingOfSeverity } from '../frame/marks.ts';
import { at, since } from '../frame/times.ts';
import { describeAcknowledgement } from './acknowledge-page.ts';
import type { Moment } from './banner.ts';
import { commandBlock, commandsOf, incidentPath, subnetPath, targetPath, withCommands } from './paths.ts';

/** The explained checks, one line for each target. */
function listExplained(explains: readonly ExplainedCheck[]): Html {
  const byTarget = Map.groupBy(explains, ({ name }) => name);
  const checks = explains.length === 1 ? 'one failing check' : `${explains.length} failing checks`;
  const targets = byTarget.size === 1 ? '' : ` of ${byTarget.size} targets`;
  return html`<details><summary>Explains ${checks}${targets}</summary><ul>${[...byTarget].map(
    ([name, own]) => html`<li><b>${name}</b> ${own.map(({ check }) => check).join(', ')}</li>`,
  )}</ul></details>`;
}

/** Where the runbook of an alert is, filled in for a target. */
export const runbookPath = (alert: string, subnet: string, name?: string): string =>
  `/alerts/${alert}?${new URLSearchParams({ subnet, ...(name !== undefined && { name }) })}`;

/** The style of a problem's card. */
export const toneOf = (severity: ProblemSeverity): string =>
  severity === 'critical' ? 'alarm' : severity === 'warning' ? 'heed' : 'note';

/** The id of the title of a problem's card. */
export const problemId = (
  subnet: string,
  { problem, name, isNext }: { readonly problem: string; readonly name?: string; readonly isNext?: true },
): string => ['problem', subnet, problem, name, isNext && 'next'].filter(Boolean).join('-');

export interface CardOptions {
  /** The problems of single targets, whose commands are the way out of one of the whole subnet. */
  readonly causes?: readonly Problem[];
  /** Whether the card must say of which subnet it is. */
  readonly namesSubnet?: boolean;
  /** The incident that it is, once it is open. */
  readonly incident?: string | undefined;
}

/** A card shows at most this many commands of causes. */
const MAX_CAUSES = 5;

/** What to type: the commands of the fix, or the first one of each node that the fix names, in its order. */
function findCommands({ fix, name }: Problem, causes: readonly Problem[]): readonly string[] {
  const own = commandsOf(fix);
  if (own.length > 0 || name !== undefined) return own;
  const words = fix.split(/[\s,:;]+/);
  const byNode = Map.groupBy(causes, (cause) => words.indexOf(cause.name ?? ''));
  byNode.delete(-1);
  return [...byNode]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, ones]) => ones.flatMap((cause) => commandsOf(cause.fix)).slice(0, 1))
    .slice(0, MAX_CAUSES);
}

/** A problem: what, since when, what to type, and what was seen. */
export function problemCard(
  subnet: string,
  problem: Problem,
  { toWall, nowWall, range }: Moment,
  { causes = [], namesSubnet = false, incident }: CardOptions,
): Html {
  const { severity, state, summary, fix, alert, explains, name, component, planned, acknowledged } = problem;
  const id = problemId(subnet, problem);
  return html`<article class="problem ${toneOf(severity)}" aria-labelledby="${id}">
<header><h3 id="${id}">${beginSentence(summary)}</h3>
<p class="tags">${badge(standingOfSeverity(severity), severity)}${namesSubnet ? html`<a href="${subnetPath(subnet, range)}">${subnet}</a>` : ''}<span>${state}</span><span>${since(toWall(problem.since), nowWall)}</span></p>${planned === undefined ? '' : html`<p class="hint">Planned until ${at(planned.until, nowWall)}: ${planned.reason} (${planned.by}). ${planned.mutes ? 'No notifications until then.' : 'It began before the work did.'}</p>`}${acknowledged === undefined ? '' : html`<p class="hint">${describeAcknowledgement(acknowledged)}.</p>`}</header>
<div class="todo">
<p class="advice">${withCommands(beginSentence(fix))}.</p>
${findCommands(problem, causes).map((command) => commandBlock(command, summary))}
<p class="line"><a href="${runbookPath(alert, subnet, name)}">Runbook ${alert}</a>${
    name === undefined || component === undefined ? '' : html`<a href="${targetPath(subnet, name, range)}">${name}</a>`
  }${incident === undefined ? '' : html`<a href="${incidentPath(incident)}">Incident</a>`}</p>
</div>
<div class="seen">
<p>${beginSentence(describeEvidence(problem, toWall))}.</p>
${explains.length === 0 ? '' : listExplained(explains)}
</div>
</article>`;
}
