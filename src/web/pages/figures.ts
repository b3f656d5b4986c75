import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import { type Html, shape } from '../frame/marks.ts';

/** A number with its name, and what to compare it with. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly beside: Html | string;
  /** Shown with its shape unless all is well. */
  readonly standing?: Standing;
}

/** Figures side by side; nothing without any. */
export const figureList = (figures: readonly Figure[]): Html =>
  figures.length === 0
    ? html``
    : html`<dl class="figures">${figures.map(
        ({ name, value, beside, standing = 'ok' }) =>
          html`<div><dt>${name}</dt><dd>${standing === 'ok' ? '' : shape(standing)} ${value}</dd><dd>${beside}</dd></div>`,
      )}</dl>`;
