import { html } from 'hono/html';
import type { AskedAndAnswered, Exchange } from '../../model/exchange.ts';
import { type Html, shape } from '../frame/marks.ts';
import { ago, count } from '../frame/times.ts';
import type { Moment } from './banner.ts';

const call = ({ asked, answered, isFault }: AskedAndAnswered): Html =>
  html`<li><code>${asked}</code><span>${isFault ? html`${shape('bad')} no: ` : ''}${answered}</span></li>`;

const calls = (all: readonly AskedAndAnswered[]): Html => html`<ul class="asked">${all.map(call)}</ul>`;

function exchange({ kind, to, at, tookMs, status, calls: all }: Exchange, { toWall, nowWall }: Moment): Html {
  const took = tookMs === undefined ? '' : `, took ${tookMs < 10 ? tookMs : count(Math.round(tookMs))} ms`;
  const head = html`<code>${to}</code>${status === undefined ? '' : `, HTTP ${status}`}${took}, ${ago(toWall(at), nowWall)}`;
  if (kind !== 'chain') return html`<div><p class="hint">${head}</p>${calls(all)}</div>`;
  const faults = all.filter(({ isFault }) => isFault).length;
  const few = faults === 0 ? '' : `, ${faults} without an answer`;
  return html`<details><summary>About its chain, once a minute: ${all.length} questions${few}</summary><p class="hint">${head}</p>${calls(all)}</details>`;
}

/** What a target was asked last, and what it answered. */
export const exchangePanel = (exchanges: readonly Exchange[], moment: Moment): Html =>
  html`<section class="panel" aria-labelledby="asked"><h2 id="asked">Asked and answered last</h2>${
    exchanges.length === 0
      ? html`<p class="empty">Nothing was asked yet. The first round is on its way, or the inventory gives nothing to ask.</p>`
      : html`${exchanges.map((one) => exchange(one, moment))}<p class="hint">Secrets are left out.</p>`
  }</section>`;
