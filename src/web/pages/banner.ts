import { html } from 'hono/html';
import { byName } from '../../lib/numbers.ts';
import { type Headline, NOT_DIAGNOSED, type Standing } from '../../model/headline.ts';
import type { RangeName } from '../../model/time-range.ts';
import { type Html, shape } from '../frame/marks.ts';
import { ago, at, lasting } from '../frame/times.ts';
import { subnetPath, withCommands } from './paths.ts';

/** What subnetd knows of itself; times in Unix milliseconds. */
export interface OwnState {
  readonly version: string;
  readonly startedAt: number;
  readonly reload: { readonly successful: boolean; readonly successAt: number };
  /** Whether each Docker Engine answers; undefined while that is unknown. */
  readonly engines: ReadonlyMap<string, boolean | undefined>;
  readonly isDatabaseUp: boolean;
  /** The last round that was late. */
  readonly lateAt?: number;
  /** When somebody last read the metrics. */
  readonly scrapedAt?: number;
}

/** A late round is mentioned for this long. */
const LATE_MS = 3_600_000;

const well = (text: Html | string): Html => html`${shape('ok')} ${text}`;
const bad = (text: Html | string): Html => html`${shape('bad')} ${text}`;

function describeEngines(engines: OwnState['engines']): readonly Html[] {
  const silent = [...engines].filter(([, isUp]) => isUp === false).map(([name]) => name);
  if (silent.length > 0) return [bad(`Docker does not answer${engines.size > 1 ? `: ${silent.join(', ')}` : ''}`)];
  return engines.size === 0 || [...engines.values()].includes(undefined) ? [] : [well('Docker answers')];
}

/** One line about subnetd itself, for the end of a page. */
export function describeOwnState(own: OwnState, nowWall: number): readonly Html[] {
  const { version, startedAt, reload, engines, isDatabaseUp, lateAt, scrapedAt } = own;
  const isLate = lateAt !== undefined && nowWall - lateAt < LATE_MS;
  return [
    html`subnetd ${version}, started ${ago(startedAt, nowWall)}`,
    reload.successful
      ? well(html`Inventory loaded ${at(reload.successAt, nowWall)}`)
      : bad(html`The last reload of the inventory failed; the one of ${at(reload.successAt, nowWall)} is still in use`),
    ...describeEngines(engines),
    isDatabaseUp ? well('Database answers') : bad('The database does not answer'),
    isLate ? bad(html`A round ran late ${ago(lateAt, nowWall)}`) : well('No late rounds'),
    scrapedAt === undefined
      ? html`${shape('off')} Not scraped yet`
      : html`${shape('ok')} Scraped ${ago(scrapedAt, nowWall)}`,
  ];
}

/** A banner names at most this many subnets. */
const MAX_NAMED = 3;

/** A subnet as a banner names it. */
export interface Verdict {
  readonly subnet: { readonly name: string };
  readonly headline?: Headline;
}

const WORST_FIRST: readonly Standing[] = ['bad', 'warn', 'off', 'ok'];

/** How bad it is: the smaller the worse. */
const rankOf = ({ headline }: Verdict): number => WORST_FIRST.indexOf(headline?.standing ?? 'off');

/** Subnets with a headline, the worst first; those that are equally bad by their names. */
export const worstFirst = <State extends Verdict>(subnets: readonly State[]): readonly State[] =>
  subnets.toSorted((one, other) => rankOf(one) - rankOf(other) || byName(one.subnet.name, other.subnet.name));

const isNeedy = ({ headline }: Verdict): boolean => headline?.standing === 'bad' || headline?.standing === 'warn';

/** The verdict on some subnets together: how bad the worst is, and all in one sentence. */
export function verdictOn(subnets: readonly Verdict[]): Pick<Headline, 'standing' | 'sentence'> {
  const [worst, ...others] = worstFirst(subnets);
  if (worst === undefined) return { standing: 'off', sentence: 'The inventory has no subnets' };
  const { standing, sentence } = worst.headline ?? NOT_DIAGNOSED;
  if (others.length === 0) return { standing, sentence };
  const needy = subnets.filter(isNeedy).length;
  if (needy > 0)
    return { standing, sentence: `${needy} of ${subnets.length} subnets ${needy === 1 ? 'needs' : 'need'} attention` };
  const unknown = subnets.filter(({ headline }) => (headline?.standing ?? 'off') === 'off').length;
  return unknown === 0
    ? { standing, sentence: `All ${subnets.length} subnets are healthy` }
    : { standing, sentence: `${unknown} of ${subnets.length} subnets are in an unknown state` };
}

const frame = (standing: Standing, content: Html): Html =>
  html`<section class="banner ${standing}" id="banner" aria-label="Verdict"><div class="wrap">${shape(standing)}${content}</div></section>`;

/** Time as a banner needs it. */
export interface Moment {
  readonly toWall: (at: number) => number;
  readonly nowWall: number;
  /** What the charts of the page show, which its links lead on to. */
  readonly range?: RangeName;
}

function ofOne({ standing, sentence, detail, since }: Headline, { toWall, nowWall }: Moment): Html {
  const begin =
    since === undefined ? '' : html`Since ${at(toWall(since), nowWall)}, for ${lasting(nowWall - toWall(since))}. `;
  return frame(standing, html`<h1>${sentence}</h1><p>${begin}${withCommands(detail)}</p>`);
}

/** What a person needs to know first, readable from three metres. */
export function banner(subnets: readonly Verdict[], moment: Moment): Html {
  const [only, ...others] = worstFirst(subnets);
  const { standing, sentence } = verdictOn(subnets);
  if (only === undefined)
    return frame(
      standing,
      html`<h1>${sentence}</h1><p>Add one, or generate the inventory from a deployment folder with <code>subnetd import</code>.</p>`,
    );
  if (others.length === 0) return ofOne(only.headline ?? NOT_DIAGNOSED, moment);
  const needy = worstFirst(subnets).filter(isNeedy);
  if (needy.length === 0) return frame(standing, html`<h1>${sentence}</h1><p>Details below.</p>`);
  const named = needy.slice(0, MAX_NAMED);
  return frame(
    standing,
    html`<h1>${sentence}</h1><ul>${named.map(
      ({ subnet, headline }) =>
        html`<li><a href="${subnetPath(subnet.name, moment.range)}">${headline?.sentence}</a>${
          headline?.since === undefined ? '' : html`, since ${at(moment.toWall(headline.since), moment.nowWall)}`
        }</li>`,
    )}${needy.length > named.length ? html`<li>and ${needy.length - named.length} more</li>` : ''}</ul>`,
  );
}
