import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  type DynamicConfigValue,
  MappingType,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as statPanel from '@grafana/grafana-foundation-sdk/stat';
import * as timelinePanel from '@grafana/grafana-foundation-sdk/statetimeline';
import * as tablePanel from '@grafana/grafana-foundation-sdk/table';
import * as graphPanel from '@grafana/grafana-foundation-sdk/timeseries';

/** The source of data is the one that the dashboard's variable names. */
export const DATASOURCE: common.DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

/** A colour for each value from which on it holds; the one of `null` holds below all others. */
export type Steps = readonly (readonly [from: number | null, color: 'green' | 'orange' | 'red' | 'text'])[];

/** What every panel says of itself. The id stays when panels move: links name it. */
export interface PanelPlan {
  readonly id: number;
  readonly title: string;
  /** What it shows, and what to make of it. */
  readonly what: string;
  readonly unit: string;
  /** Of 24 columns. */
  readonly width: number;
  readonly height?: number;
  /** Queries by their legends. */
  readonly queries: Readonly<Record<string, string>>;
  readonly steps?: Steps;
}

interface CommonBuilder<Self> {
  id(id: number): Self;
  title(title: string): Self;
  description(text: string): Self;
  datasource(source: common.DataSourceRef): Self;
  unit(unit: string): Self;
  span(width: number): Self;
  height(height: number): Self;
  thresholds(steps: ThresholdsConfigBuilder): Self;
  withTarget(query: DataqueryBuilder): Self;
}

type Kind = 'range' | 'instant' | 'table';

function toQuery(expr: string, legend: string, index: number, kind: Kind): DataqueryBuilder {
  const query = new DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCharCode(65 + index))
    .expr(expr)
    .legendFormat(legend);
  if (kind === 'range') return query.range();
  return query.instant().format(kind === 'table' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries);
}

function fill<Self extends CommonBuilder<Self>>(builder: Self, plan: PanelPlan, kind: Kind, height: number): Self {
  const steps: Threshold[] = (plan.steps ?? [[null, 'text']]).map(([value, color]) => ({ value, color }));
  const filled = builder
    .id(plan.id)
    .title(plan.title)
    .description(plan.what)
    .datasource(DATASOURCE)
    .unit(plan.unit)
    .span(plan.width)
    .height(plan.height ?? height)
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps));
  for (const [index, [legend, expr]] of Object.entries(plan.queries).entries())
    filled.withTarget(toQuery(expr, legend, index, kind));
  return filled;
}

/** One number for each series, as it is now. */
export const stat = (plan: PanelPlan): Panel =>
  fill(new statPanel.PanelBuilder(), plan, 'instant', 4)
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None)
    .noValue('no data')
    .build();

/** A line for each series. */
export const graph = (plan: PanelPlan): Panel =>
  fill(new graphPanel.PanelBuilder(), plan, 'range', 8)
    .lineWidth(1)
    .fillOpacity(5)
    .axisSoftMin(0)
    .showPoints(common.VisibilityMode.Never)
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .legend(new common.VizLegendOptionsBuilder().displayMode(common.LegendDisplayMode.List).showLegend(true))
    .build();

/** A line whose zero is far away, as of heights. */
export const heightGraph = (plan: PanelPlan): Panel => {
  const panel = graph(plan);
  const { axisSoftMin: _, ...custom } = panel.fieldConfig?.defaults.custom ?? {};
  return { ...panel, fieldConfig: { overrides: [], defaults: { ...panel.fieldConfig?.defaults, custom } } };
};

/** A band for each series of 1, which is well, and 0, which is not; `words` says what they are called. */
export const timeline = (plan: Omit<PanelPlan, 'unit'>, words: readonly [well: string, bad: string]): Panel =>
  fill(new timelinePanel.PanelBuilder(), { ...plan, unit: 'none' }, 'range', 8)
    .mappings([
      {
        type: MappingType.ValueToText,
        options: { 1: { text: words[0], color: 'green', index: 0 }, 0: { text: words[1], color: 'red', index: 1 } },
      },
    ])
    .showValue(common.VisibilityMode.Never)
    .mergeValues(true)
    .rowHeight(0.8)
    .fillOpacity(80)
    .legend(new common.VizLegendOptionsBuilder().displayMode(common.LegendDisplayMode.List).showLegend(true))
    .build();

/** A column of a table: its field, and how it is called and shown. */
export interface Column {
  readonly field: string;
  readonly title?: string;
  readonly unit?: string;
  readonly steps?: Steps;
  readonly link?: { readonly title: string; readonly url: string };
  /** There for a link to read, and not shown. */
  readonly hidden?: boolean;
}

function toProperties({ title, unit, steps, link, hidden }: Column): DynamicConfigValue[] {
  return [
    ...(title === undefined ? [] : [{ id: 'displayName', value: title }]),
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ...(link === undefined ? [] : [{ id: 'links', value: [link] }]),
    // The second is what the first is called in newer ones.
    ...(hidden === true
      ? [
          { id: 'custom.hidden', value: true },
          { id: 'custom.hideFrom', value: { viz: true, legend: false, tooltip: false } },
        ]
      : []),
    ...(steps === undefined
      ? []
      : [
          { id: 'thresholds', value: { mode: 'absolute', steps: steps.map(([value, color]) => ({ value, color })) } },
          { id: 'custom.cellOptions', value: { type: 'color-background', mode: 'basic' } },
        ]),
  ];
}

/**
 * One row for each set of labels, its columns in this order and no others. A query's value is in the field `Value` when
 * there is one query, else in `Value #A`, `Value #B`, … in the order of the queries; their legends are not shown.
 */
export function table(plan: PanelPlan, columns: readonly Column[], empty: string): Panel {
  const builder = fill(new tablePanel.PanelBuilder(), plan, 'table', 9).noValue(empty);
  builder.withTransformation({ id: 'merge', options: {} });
  builder.withTransformation({
    id: 'filterFieldsByName',
    options: { include: { names: columns.map(({ field }) => field) } },
  });
  builder.withTransformation({
    id: 'organize',
    options: { indexByName: Object.fromEntries(columns.map(({ field }, index) => [field, index])) },
  });
  for (const column of columns) builder.overrideByName(column.field, toProperties(column));
  return builder.build();
}
