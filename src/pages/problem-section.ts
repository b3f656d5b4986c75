import { html } from 'hono/html';
import { formatCount } from '../model/format-count.ts';
import type { Incidents } from '../model/incident.ts';
import { isStanding, type Problem } from '../model/problem.ts';
import { isOfSetup } from '../model/problem-catalog.ts';
import type { SubnetState } from '../model/snapshot.ts';
import type { Subnet } from '../model/target.ts';
import { type Moment, worstFirst } from './banner.ts';
import type { Html } from './marks.ts';
import { targetPath } from './paths.ts';
import { problemCard } from './problem-card.ts';

/** Of many subnets, only so many problems are shown in full. */
const MAX_PROBLEMS = 20;
/** A group of alike findings names at most this many targets. */
const MAX_NAMES = 10;

/** A problem with its subnet. */
interface Found {
  readonly subnet: Subnet;
  readonly problem: Problem;
  /** Problems that may be why the whole subnet is as it is. */
  readonly causes: readonly Problem[];
}

/** How the cards are shown. */
interface Shown extends Moment {
  readonly namesSubnet: boolean;
  /** The open incident of a problem. */
  readonly incidentOf?: Incidents['idOf'] | undefined;
}

/** Whether a problem of one target may be why the whole subnet is as it is. */
const isCause = ({ name, component, severity, state }: Problem): boolean =>
  name !== undefined && component === 'node' && severity !== 'info' && state !== 'clearing';

const toCard = ({ subnet, problem, causes }: Found, shown: Shown): Html =>
  problemCard(subnet.name, problem, shown, {
    ...{ causes, namesSubnet: shown.namesSubnet, incident: shown.incidentOf?.(subnet.name, problem) },
  });

const moreLine = (more: number): Html | string =>
  more > 0 ? html`<p class="empty">${more} more are in <a href="/status.json">status.json</a>.</p>` : '';

/** The targets that have the same finding as the one shown. */
function alikeLine(alike: readonly Found[]): Html | string {
  if (alike.length === 0) return '';
  const links = alike.slice(0, MAX_NAMES).flatMap(({ subnet, problem: { name } }, index) => {
    const link = name === undefined ? [] : [html`<a href="${targetPath(subnet.name, name)}">${name}</a>`];
    return index === 0 ? link : [', ', ...link];
  });
  const more = alike.length - MAX_NAMES;
  return html`<p class="hint">The same of ${links}${more > 0 ? ` and ${more} others` : ''}.</p>`;
}

/** What is worth a change while everything runs, folded. What several targets have alike is shown once. */
function setupFindings(found: readonly Found[], shown: Shown): Html | string {
  if (found.length === 0) return '';
  const groups = Map.groupBy(found, ({ subnet, problem }) => JSON.stringify([subnet.name, problem.problem]));
  const title = formatCount(found.length, 'finding', 'findings');
  return html`<details><summary>${title} about the set-up, worth a change when there is time</summary><div class="stack">
${[...groups.values()]
  .slice(0, MAX_PROBLEMS)
  .map(([first, ...alike]) => (first === undefined ? '' : html`${toCard(first, shown)}${alikeLine(alike)}`))}
${moreLine(groups.size - MAX_PROBLEMS)}
</div></details>`;
}

/** The problems of some subnets, the worst first, and then the findings about their set-up. */
export function problemSection(subnets: readonly SubnetState[], moment: Moment & Pick<Shown, 'incidentOf'>): Html {
  const shown = { ...moment, namesSubnet: subnets.length > 1 };
  const all = worstFirst(subnets).flatMap(({ subnet, problems }) => {
    const causes = problems.filter(isCause);
    return problems.map((problem): Found => ({ subnet, problem, causes }));
  });
  const found = all
    .filter(({ problem }) => !isOfSetup(problem.problem))
    .toSorted((one, other) => Number(isStanding(other.problem)) - Number(isStanding(one.problem)));
  const title = found.length === 0 ? 'No problem is known' : formatCount(found.length, 'problem', 'problems');
  return html`<section class="stack" aria-labelledby="problems" id="state-problems"><h2 id="problems">${title}</h2>
${found.slice(0, MAX_PROBLEMS).map((one) => toCard(one, shown))}
${moreLine(found.length - MAX_PROBLEMS)}
${setupFindings(
  all.filter(({ problem }) => isOfSetup(problem.problem)),
  shown,
)}
</section>`;
}
