import { html } from 'hono/html';
import { escapeHtml } from '../../lib/words.ts';
import type { Standing } from '../../model/headline.ts';
import type { TargetHistory } from '../../model/history.ts';
import type { Snapshot, SubnetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { page } from '../frame/frame.ts';
import { COLOR_OF } from '../frame/glance.ts';
import { badge, type Html, shape, standingOf } from '../frame/marks.ts';
import { worstFirst } from './banner.ts';
import type { ElsewhereState } from './elsewhere.ts';
import { dayBars, uptimeBars, uptimeKey } from './uptime-bars.ts';

/** What a person without an account may know of a subnet, in a word. */
const PUBLIC_WORDS: Readonly<Record<Standing, string>> = {
  ok: 'operational',
  warn: 'degraded',
  bad: 'down',
  off: 'unknown',
};

/** The width of a text of 11 px in DejaVu Sans or a narrower font, in pixels. */
const widthOf = (text: string): number => Math.ceil(text.length * 6.8) + 12;

/** A badge for a readme or a site: the name of a subnet and its state, as SVG. */
export function badgeSvg(subnet: string, standing: Standing): string {
  const [left, right] = [widthOf(subnet), widthOf(PUBLIC_WORDS[standing])];
  const name = escapeHtml(subnet);
  const word = PUBLIC_WORDS[standing];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${word}"><title>${name}: ${word}</title><rect width="${left}" height="20" fill="#30363d"/><rect x="${left}" width="${right}" height="20" fill="${COLOR_OF[standing]}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${name}</text><text x="${left + right / 2}" y="14">${word}</text></g></svg>\n`;
}

/** All that the page for everybody is made of: no reason, address, version or time of a probe is among it. */
interface PublicSubnet {
  readonly name: string;
  readonly standing: Standing;
  readonly targets: readonly {
    readonly name: string;
    readonly standing: Standing;
    readonly history: TargetHistory;
  }[];
}

/** The allow-list: what anybody may see of a subnet. */
const toPublic = (
  { subnet, headline, targets }: SubnetState,
  historyOf: (target: Target) => TargetHistory,
): PublicSubnet => ({
  name: subnet.name,
  standing: headline?.standing ?? 'off',
  targets: targets.map((state) => ({
    name: state.target.name,
    standing: standingOf(state).standing,
    history: historyOf(state.target),
  })),
});

/** The allow-list for a subnet that another instance watches, and that has no history here. */
const toPublicElsewhere = ({ subnet, headline }: ElsewhereState): PublicSubnet => ({
  name: subnet.name,
  standing: headline.standing,
  targets: [],
});

const row = ({ name, standing, history }: PublicSubnet['targets'][number]): Html =>
  html`<tr role="row"><th scope="row" role="rowheader">${name}</th><td role="cell">${badge(standing, PUBLIC_WORDS[standing])}</td><td role="cell" class="w full" data-l="24 hours">${dayBars(history)}</td><td role="cell" class="w full" data-l="30 days">${uptimeBars(history.days, '30 days')}</td></tr>`;

const rows = (targets: PublicSubnet['targets']): Html =>
  html`<table class="rows" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Part</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader" class="w">24 hours</th><th scope="col" role="columnheader" class="w">30 days</th></tr></thead><tbody role="rowgroup">${targets.map(row)}</tbody></table>${uptimeKey}`;

const section = ({ name, standing, targets }: PublicSubnet): Html =>
  html`<section class="panel" aria-labelledby="subnet-${name}"><h2 id="subnet-${name}">${name} ${badge(standing, PUBLIC_WORDS[standing])}</h2>
${targets.length === 0 ? '' : rows(targets)}
</section>`;

/** The page at `/` for people without an account. */
export function publicPage(
  snapshot: Snapshot,
  historyOf: (target: Target) => TargetHistory,
  nowWall: number,
  elsewhere: readonly ElsewhereState[] = [],
): Html {
  const subnets = worstFirst([...snapshot, ...elsewhere]).map((state) =>
    'elsewhere' in state ? toPublicElsewhere(state) : toPublic(state, historyOf),
  );
  const worst = subnets[0]?.standing ?? 'off';
  const needy = subnets.filter(({ standing }) => standing !== 'ok').length;
  const sentence =
    subnets.length === 1
      ? `${subnets[0]?.name} is ${PUBLIC_WORDS[worst]}`
      : needy === 0
        ? 'All subnets are operational'
        : `${needy} of ${subnets.length} subnets are not operational`;
  return page({
    title: sentence,
    glance: { standing: worst, problems: 0 },
    madeAt: nowWall,
    banner: html`<section class="banner ${worst}" id="banner" aria-label="Verdict"><div class="wrap">${shape(worst)}<h1>${sentence}</h1></div></section>`,
    content: html`${subnets.map(section)}`,
    footer: [html`<a href="/?full">Sign in for details</a>`],
  });
}
