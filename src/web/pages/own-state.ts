import { html } from 'hono/html';
import { type Html, shape } from '../frame/marks.ts';
import { ago, at } from '../frame/times.ts';

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
      ? well(html`Inventory read ${at(reload.successAt, nowWall)}`)
      : bad(
          html`The inventory has errors since its last reload; the one of ${at(reload.successAt, nowWall)} is in use`,
        ),
    ...describeEngines(engines),
    isDatabaseUp ? well('Database answers') : bad('The database does not answer'),
    isLate ? bad(html`A round was late ${ago(lateAt, nowWall)}`) : well('No late rounds'),
    scrapedAt === undefined
      ? html`${shape('off')} Nobody has read the metrics yet`
      : html`${shape('ok')} Metrics read ${ago(scrapedAt, nowWall)}`,
  ];
}
