import { globSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

interface Target {
  readonly refId: string;
  readonly expr: string;
  readonly instant?: boolean;
}

export interface PanelJson {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: {
    readonly defaults: {
      readonly unit?: string;
      readonly min?: number;
      readonly max?: number;
      readonly noValue?: string;
      readonly links?: readonly { readonly url: string }[];
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null; readonly color: string }[] };
      readonly mappings?: readonly {
        readonly type: string;
        readonly options: {
          readonly match?: string;
          readonly result?: { readonly text: string; readonly color: string };
        };
      }[];
    };
    readonly overrides: readonly {
      readonly matcher: { readonly id: string; readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
  readonly options?: {
    readonly legend?: { readonly displayMode: string; readonly calcs?: readonly string[] };
  };
  readonly targets?: readonly (Target & { readonly datasource: { readonly uid: string } })[];
  /** Of a row that is folded, its panels. */
  readonly collapsed?: boolean;
  readonly panels?: readonly PanelJson[];
}

export interface DashboardJson {
  readonly uid: string;
  readonly id?: number | null;
  readonly panels: readonly PanelJson[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly type: string;
      readonly query: string | { readonly query: string };
      readonly datasource?: { readonly uid: string };
    }[];
  };
  readonly annotations: {
    readonly list: readonly {
      readonly name: string;
      readonly expr: string;
      readonly datasource: { readonly uid: string };
    }[];
  };
}

/** The committed dashboards by their paths. */
export const dashboards: readonly (readonly [file: string, board: DashboardJson])[] = globSync(
  'grafana/dashboards/*.json',
  { cwd: root },
)
  .toSorted()
  .map((file) => [file, JSON.parse(readFileSync(new URL(file, root), 'utf8')) as DashboardJson]);

/** Everything on a board: its rows, and its panels, those in folded rows too. */
export const elementsOf = ({ panels }: DashboardJson): readonly PanelJson[] =>
  panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);

/** The panels that show something, without the titles of rows. */
export const panelsOf = (board: DashboardJson): readonly PanelJson[] =>
  elementsOf(board).filter(({ type }) => type !== 'row');

/** What a single number shows without a value, as Grafana decides it: by a mapping of null, else by its lowest step. */
export function shownWithoutData({ fieldConfig: { defaults } }: PanelJson): {
  readonly text: string | undefined;
  readonly color: string | undefined;
} {
  const mapping = defaults.mappings?.find(({ type, options }) => type === 'special' && options.match === 'null+nan');
  const { text, color } = mapping?.options.result ?? {};
  return { text: text ?? defaults.noValue, color: color ?? defaults.thresholds?.steps[0]?.color };
}

/** Does each query of the panel select the series of one colour? */
const isSortedByColor = ({ fieldConfig, targets = [] }: PanelJson): boolean =>
  targets.length > 1 &&
  targets.every(({ refId }) =>
    fieldConfig.overrides.some(
      ({ matcher, properties }) =>
        matcher.id === 'byFrameRefID' && matcher.options === refId && properties.some(({ id }) => id === 'color'),
    ),
  );

/** A query of a dashboard, and what it is for. */
export interface BoardQuery {
  readonly of: string;
  readonly expr: string;
  readonly kind: 'instant' | 'range' | 'values';
}

/** Every query of a dashboard: of its panels, its annotations and its variables. */
export const queriesOf = (board: DashboardJson): readonly BoardQuery[] => [
  ...panelsOf(board).flatMap((panel) => {
    const { id, title, targets = [] } = panel;
    const of = `panel ${id}, ${title}`;
    // A series is in one of them.
    if (isSortedByColor(panel))
      return [{ of, expr: targets.map(({ expr }) => `(${expr})`).join(' or '), kind: 'instant' as const }];
    return targets.map(({ refId, expr, instant }) => ({
      of: `${of}, ${refId}`,
      expr,
      kind: instant === true ? ('instant' as const) : ('range' as const),
    }));
  }),
  ...board.annotations.list.map(({ name, expr }) => ({ of: `annotation ${name}`, expr, kind: 'range' as const })),
  ...board.templating.list.flatMap(({ name, query }) =>
    typeof query === 'string' ? [] : [{ of: `variable ${name}`, expr: query.query, kind: 'values' as const }],
  ),
];
