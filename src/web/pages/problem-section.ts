import { html } from 'hono/html';
import { formatCount } from '../../lib/words.ts';
import type { Incidents } from '../../model/incident.ts';
import { isStanding, type Problem } from '../../model/problem.ts';
import { isOfSetup } from '../../model/problem-catalog.ts';
import type { SubnetState } from '../../model/snapshot.ts';
import type { Subnet } from '../../model/target.ts';
import type { Html } from '../frame/marks.ts';
import { type Moment, worstFirst } from './banner.ts';
import { type ElsewhereState, elsewhereCard } from './elsewhere.ts';
import { commandBlock, commandsOf, targetPath } from './paths.ts';
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

/** Whether the commands of its nodes end a problem of the whole subnet. */
const endsWithNodes = ({ problem }: Problem): boolean =>
  problem === 'subnet_halted' || problem === 'quorum_at_risk' || problem === 'finality_stalled';

const toCard = ({ subnet, problem, causes }: Found, shown: Shown): Html =>
  problemCard(subnet.name, problem, shown, {
    causes,
    namesSubnet: shown.namesSubnet,
    incident: shown.incidentOf?.(subnet.name, problem),
  });

const moreLine = (more: number, file: 'status.json' | 'fleet.json' = 'status.json'): Html | string =>
  more > 0 ? html`<p class="empty">${more} more are in <a href="/${file}">${file}</a>.</p>` : '';

/** A card as the page lists it. */
interface Listed {
  /** It is not a mere suspicion. */
  readonly isSure: boolean;
  readonly problems: number;
  readonly toHtml: () => Html;
}

/** So many alike are one card. */
const MANY = 3;

/** What several targets have alike, together: the same problem with the same words but for their names. */
const groupAlike = (found: readonly Found[]): readonly (readonly Found[])[] => [
  ...Map.groupBy(found, ({ subnet, problem: { problem, state, severity, name, summary, fix } }) => {
    const words = name === undefined ? [] : [summary, fix].map((text) => text.replaceAll(name, ''));
    return JSON.stringify([subnet.name, problem, state, severity, ...words]);
  }).values(),
];

/** The targets that have the same finding as the one shown. */
function alikeLine(alike: readonly Found[], { range }: Moment): Html | string {
  if (alike.length === 0) return '';
  const links = alike.slice(0, MAX_NAMES).flatMap(({ subnet, problem: { name } }, index) => {
    const link = name === undefined ? [] : [html`<a href="${targetPath(subnet.name, name, range)}">${name}</a>`];
    return index === 0 ? link : [', ', ...link];
  });
  const more = alike.length - MAX_NAMES;
  return html`<p class="hint">Same for ${links}${more > 0 ? ` and ${more} others` : ''}.</p>`;
}

/** The same with what to type for each, where that is not what the card says. */
function alikeCommands(shown: Found, alike: readonly Found[]): Html | string {
  const ofShown = new Set(commandsOf(shown.problem.fix));
  const own = alike.slice(0, MAX_NAMES).flatMap(({ problem: { fix, summary } }) =>
    commandsOf(fix)
      .slice(0, 1)
      .filter((command) => !ofShown.has(command))
      .map((command) => commandBlock(command, summary)),
  );
  return own.length === 0 ? '' : html`<details><summary>Commands for the others</summary>${own}</details>`;
}

/** The cards of problems that are alike: one for all when they are many. */
function toListed(alike: readonly Found[], shown: Shown): readonly Listed[] {
  const isSure = ({ problem }: Found) => isStanding(problem);
  const [first, ...others] = alike;
  if (first === undefined || alike.length < MANY)
    return alike.map((one) => ({ isSure: isSure(one), problems: 1, toHtml: () => toCard(one, shown) }));
  const toHtml = () =>
    html`<div>${toCard(first, shown)}${alikeLine(others, shown)}${alikeCommands(first, others)}</div>`;
  return [{ isSure: isSure(first), problems: alike.length, toHtml }];
}

const countListed = (listed: readonly Listed[]): number => listed.reduce((sum, { problems }) => sum + problems, 0);
const sureFirst = (listed: readonly Listed[]): readonly Listed[] =>
  listed.toSorted((one, other) => Number(other.isSure) - Number(one.isSure));

/** Of a subnet among many only the worst is seen at once. */
function foldOthers(subnet: string, listed: readonly Listed[]): readonly Listed[] {
  const [worst, ...others] = sureFirst(listed);
  if (worst === undefined || others.length === 0) return listed;
  const title = `${formatCount(countListed(others), 'other problem', 'other problems')} of ${subnet}`;
  const toHtml = () =>
    html`<div>${worst.toHtml()}<details><summary>${title}</summary><div class="stack">${others.map((one) => one.toHtml())}</div></details></div>`;
  return [{ ...worst, problems: countListed(listed), toHtml }];
}

/** What is worth a change while everything runs, folded. What several targets have alike is shown once. */
function setupFindings(found: readonly Found[], shown: Shown): Html | string {
  if (found.length === 0) return '';
  const groups = [
    ...Map.groupBy(found, ({ subnet, problem }) => JSON.stringify([subnet.name, problem.problem])).values(),
  ];
  const title = formatCount(found.length, 'finding', 'findings');
  return html`<details><summary>${title} about the setup, worth fixing when there is time</summary><div class="stack">
${groups
  .slice(0, MAX_PROBLEMS)
  .map(([first, ...alike]) => (first === undefined ? '' : html`${toCard(first, shown)}${alikeLine(alike, shown)}`))}
${moreLine(groups.length - MAX_PROBLEMS)}
</div></details>`;
}

/** What another instance has found of a subnet, while that instance is seen. */
const listElsewhere = ({ elsewhere }: ElsewhereState, nowWall: number): readonly Listed[] =>
  elsewhere.sight === 'seen'
    ? (elsewhere.known?.problems ?? []).map((problem) => ({
        isSure: true,
        problems: 1,
        toHtml: () => elsewhereCard(elsewhere, problem, nowWall),
      }))
    : [];

/** How many problems some subnets have, without findings about the set-up. */
export const countProblems = (subnets: readonly (SubnetState | ElsewhereState)[]): number =>
  subnets.reduce((sum, state) => {
    if (!('elsewhere' in state)) return sum + state.problems.filter(({ problem }) => !isOfSetup(problem)).length;
    return sum + (state.elsewhere.sight === 'seen' ? (state.elsewhere.known?.problemCount ?? 0) : 0);
  }, 0);

/**
 * The problems of some subnets (that there are none, the verdict above says), the worst first, and then the findings about the set-up of those that are watched here.
 * `foldsOthers`: only the worst of each subnet is seen at once.
 */
export function problemSection(
  subnets: readonly (SubnetState | ElsewhereState)[],
  moment: Moment & Pick<Shown, 'incidentOf'> & { readonly foldsOthers?: boolean },
): Html {
  const shown = { ...moment, namesSubnet: subnets.length > 1 };
  const setup: Found[] = [];
  const listOf = (state: SubnetState | ElsewhereState): readonly Listed[] => {
    if ('elsewhere' in state) return listElsewhere(state, moment.nowWall);
    const { subnet, problems } = state;
    const causes = problems.filter(isCause);
    const found = problems.map((problem): Found => ({ subnet, problem, causes: endsWithNodes(problem) ? causes : [] }));
    setup.push(...found.filter(({ problem }) => isOfSetup(problem.problem)));
    const others = found.filter(({ problem }) => !isOfSetup(problem.problem));
    return groupAlike(others).flatMap((alike) => toListed(alike, shown));
  };
  const listed = worstFirst(subnets).flatMap((state) => {
    const own = listOf(state);
    return moment.foldsOthers ? foldOthers(state.subnet.name, own) : own;
  });
  const isElsewhere = subnets.some((state) => 'elsewhere' in state);
  const cards = sureFirst(listed).slice(0, MAX_PROBLEMS);
  const all = countProblems(subnets);
  const more = all - countListed(cards);
  const title = all === 0 ? 'No known problems' : formatCount(all, 'problem', 'problems');
  return html`<section class="${all + setup.length === 0 ? 'sr' : 'stack'}" aria-labelledby="problems" id="state-problems"><h2 id="problems">${title}</h2>
${cards.map(({ toHtml }) => toHtml())}
${moreLine(more, isElsewhere ? 'fleet.json' : 'status.json')}
${setupFindings(setup, shown)}
</section>`;
}
