import { html, raw } from 'hono/html';
import { Marked } from 'marked';
import { beginSentence, escapeHtml } from '../../lib/words.ts';
import type { Incidents } from '../../model/incident.ts';
import { describeEvidence, type Problem } from '../../model/problem.ts';
import type { Target } from '../../model/target.ts';
import type { AlertRule, Severity } from '../../tell/alerts/alert-rule.ts';
import { alertGroups, alertRules, findAlert, findNear } from '../../tell/alerts/alert-rules.ts';
import { fillRunbook, plainWords, readRunbook, toTargetFacts } from '../../tell/alerts/runbooks.ts';
import { page } from '../frame/frame.ts';
import { badge, type Html, shape } from '../frame/marks.ts';
import { at, lasting } from '../frame/times.ts';
import type { Moment } from './banner.ts';
import { problemCard, runbookPath } from './problem-card.ts';

/**
 * A runbook as HTML. Runbooks link to each other as files, so that they work without a server. HTML in them is shown as text.
 * A block of commands may be wider than a phone: it scrolls by itself, by the keyboard too.
 */
function render(runbook: string): string | Promise<string> {
  let blocks = 0;
  const block = (text: string): string => {
    blocks += 1;
    const shown = escapeHtml(text);
    return `<div class="block"><pre tabindex="0" role="region" aria-label="Commands ${blocks}"><code>${shown}</code></pre><button type="button" hidden data-copy="${shown}"><span aria-live="polite">Copy</span><span class="sr"> commands ${blocks}</span></button></div>\n`;
  };
  // A comment begins what is to be typed in another case.
  const code = ({ text }: { readonly text: string }): string =>
    text
      .split(/\n(?=# )/)
      .map(block)
      .join('');
  const marked = new Marked({
    walkTokens: (token) => {
      if (token.type === 'link') token.href = token.href.replace(/\.md$/, '');
    },
    renderer: { html: ({ text }) => escapeHtml(text), code },
  });
  return marked.parse(runbook);
}

/** What the groups of alerts are about. */
const GROUPS: Readonly<Record<keyof typeof alertGroups, string>> = {
  subnet: 'The whole subnet',
  node: 'Nodes',
  services: 'Relayer, parent chain, stats server and frontend',
  containers: 'Containers and logs',
  failures: 'Known failures',
  setup: 'Setup',
  subnetd: 'subnetd itself',
};

/** A problem that is reported now, with its subnet. */
export interface Firing {
  readonly subnet: string;
  readonly problem: Problem;
}

const BADGES = { critical: 'bad', warning: 'warn', info: 'off', none: 'off' } as const;

const isFound = ({ name, severity, summary }: AlertRule, words: readonly string[]): boolean =>
  words.every((word) => `${name} ${severity} ${plainWords(summary)}`.toLowerCase().includes(word));

const listOf = (id: string, title: string, rows: readonly Html[]): Html | string =>
  rows.length === 0
    ? ''
    : html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><table class="rows runbooks" role="table"><tbody role="rowgroup">${rows}</tbody></table></section>`;

const rowOf = (href: string, alert: string, severity: Severity, words: string): Html =>
  html`<tr role="row"><th scope="row" role="rowheader"><a href="${href}">${alert}</a></th><td role="cell">${badge(BADGES[severity], severity)}</td><td role="cell" class="full">${words}</td></tr>`;

/** The alerts in whose name, severity or sentence all words of `search` are: first those of what is wrong now, then all by group. */
function alertLists(firing: readonly Firing[], search: string): Html {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = alertRules.filter((rule) => isFound(rule, words));
  const names = new Set<string>(found.map(({ name }) => name));
  const now = firing.flatMap(({ subnet, problem: { alert, name, severity, summary } }) =>
    names.has(alert)
      ? [rowOf(runbookPath(alert, subnet, name), alert, severity, `${beginSentence(summary)} (${subnet}).`)]
      : [],
  );
  const groups = Object.entries(alertGroups).map(([group, rules]) =>
    listOf(
      `group-${group}`,
      GROUPS[group as keyof typeof alertGroups],
      rules
        .filter(({ name }) => names.has(name))
        .map(({ name, severity, summary }) => rowOf(`/alerts/${name}`, name, severity, plainWords(summary))),
    ),
  );
  return html`<form class="bar" method="get" action="/alerts" role="search"><label for="search">Search</label><input id="search" type="search" name="search" value="${search}"><button type="submit">Find</button></form>
${found.length === 0 ? html`<p class="empty">No runbook contains these words. <a href="/alerts">Show all</a>.</p>` : ''}
${listOf('firing', 'Reported now', now)}
${groups}`;
}

/** The page at `/alerts`. */
export const alertList = (madeAt: number, firing: readonly Firing[] = [], search = ''): Html =>
  page({
    title: 'Runbooks',
    room: '/alerts',
    madeAt,
    content: html`<h1>Runbooks</h1>${alertLists(firing, search)}`,
  });

/** The target that an alert is about, as its link names it, and what the inventory has under these names. */
export interface AlertSubject {
  readonly subnet: string;
  readonly name?: string;
  readonly target: Target | undefined;
  /** What the alert reports of it now, and the open incident of each. */
  readonly problems: readonly Problem[];
  readonly incidentOf?: Incidents['idOf'];
}

/** Whether the alert has something to report of its subject now. */
function describeNow(alert: string, { subnet, problems }: AlertSubject, moment: Moment): Html {
  const [worst] = problems;
  if (worst === undefined)
    return html`<section class="banner ok" aria-label="Now"><div class="wrap">${shape('ok')}<h1>${alert}: nothing to report for ${subnet} now</h1></div></section>`;
  const standing = worst.severity === 'critical' ? 'bad' : 'warn';
  const words = worst.state === 'suspected' ? 'suspected' : worst.state === 'clearing' ? 'clearing' : 'open';
  const start = moment.toWall(worst.since);
  return html`<section class="banner ${standing}" aria-label="Now"><div class="wrap">${shape(standing)}<h1>${alert}: ${words} on ${subnet} now</h1><p>Since ${at(start, moment.nowWall)}, for ${lasting(moment.nowWall - start)}. ${beginSentence(describeEvidence(worst, moment.toWall))}.</p></div></section>`;
}

function describeSubject({ subnet, name, target }: AlertSubject) {
  if (name === undefined) return html`<p>This alert is about the subnet <b>${subnet}</b>.</p>`;
  if (target === undefined)
    return html`<p>The inventory has no <b>${name}</b> in subnet <b>${subnet}</b>, so the commands below are examples.</p>`;
  const { container, address, ipc, logFiles } = toTargetFacts(target);
  const rows = Object.entries({
    Container: container,
    Address: address,
    IPC: ipc,
    Log: logFiles.join(' ') || undefined,
  });
  return html`<p>This alert is about the ${target.component} <b>${name}</b> of the subnet <b>${subnet}</b>.
    The commands below are filled in from the inventory where it says enough.</p>
    <dl class="pairs">${rows.map(([what, value]) =>
      value === undefined ? '' : html`<div><dt>${what}</dt><dd><code>${value}</code></dd></div>`,
    )}
    </dl>`;
}

/**
 * The page of an alert, for its subject if the link names one. If no alert has that name, `found` is false and the page
 * lists all alerts.
 */
export async function alertPage(
  name: string,
  moment: Moment & { readonly ownUrl?: string | undefined },
  subject?: AlertSubject,
): Promise<{ readonly found: boolean; readonly body: Html }> {
  const rule = findAlert(name);
  if (rule === undefined) {
    const near = findNear(
      name,
      alertRules.map((one) => one.name),
    );
    return {
      found: false,
      body: page({
        title: 'No such alert',
        room: '/alerts',
        madeAt: moment.nowWall,
        content: html`<h1>No alert has that name</h1>
    <p>${near.length > 0 ? html`Did you mean ${near.map((one) => html`<a href="/alerts/${one}">${one}</a> `)}?` : 'These are all alerts:'}</p>
    ${alertLists([], '')}`,
      }),
    };
  }
  const runbook = await readRunbook(rule);
  const text = await render(fillRunbook(runbook, { ownUrl: moment.ownUrl, target: subject?.target }));
  const { severity } = rule;
  return {
    found: true,
    body: page({
      title: rule.name,
      room: '/alerts',
      madeAt: moment.nowWall,
      banner: subject && describeNow(rule.name, subject, moment),
      content: html`<p class="hint"><a href="/alerts">Runbooks</a> / ${severity}</p>
    ${subject === undefined ? '' : describeSubject(subject)}
    ${subject?.problems.length ? html`<h2 class="sr">Reported now</h2>` : ''}
    ${subject?.problems.map((problem) => problemCard(subject.subnet, problem, moment, { incident: subject.incidentOf?.(subject.subnet, problem) })) ?? ''}
    ${subject === undefined ? '' : html`<p class="line"><a href="/incidents?${new URLSearchParams({ subnet: subject.subnet, alert: rule.name, ...(subject.name && { name: subject.name }) })}">Its latest incident</a></p>`}
    <article class="panel prose">${raw(text)}</article>`,
    }),
  };
}
