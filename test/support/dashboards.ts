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
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly (Target & { readonly datasource: { readonly uid: string } })[];
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

/** The panels that show something, without the titles of rows. */
export const panelsOf = ({ panels }: DashboardJson): readonly PanelJson[] =>
  panels.filter(({ type }) => type !== 'row');

/** A query of a dashboard, and what it is for. */
export interface BoardQuery {
  readonly of: string;
  readonly expr: string;
  readonly kind: 'instant' | 'range' | 'values';
}

/** Every query of a dashboard: of its panels, its annotations and its variables. */
export const queriesOf = (board: DashboardJson): readonly BoardQuery[] => [
  ...panelsOf(board).flatMap(({ id, title, targets = [] }) =>
    targets.map(({ refId, expr, instant }) => ({
      of: `panel ${id}, ${title}, ${refId}`,
      expr,
      kind: instant === true ? ('instant' as const) : ('range' as const),
    })),
  ),
  ...board.annotations.list.map(({ name, expr }) => ({ of: `annotation ${name}`, expr, kind: 'range' as const })),
  ...board.templating.list.flatMap(({ name, query }) =>
    typeof query === 'string' ? [] : [{ of: `variable ${name}`, expr: query.query, kind: 'values' as const }],
  ),
];
