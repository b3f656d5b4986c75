import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardLinkBuilder,
  type DynamicConfigValue,
  MappingType,
  type Panel,
  SpecialValueMatch,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus';
import * as statPanel from '@grafana/grafana-foundation-sdk/stat';
import * as timelinePanel from '@grafana/grafana-foundation-sdk/statetimeline';
import * as graphPanel from '@grafana/grafana-foundation-sdk/timeseries';
import type { DataLink } from './links.ts';
import { bySubnet } from './queries.ts';

/** The source of data is the one that the dashboard's variable names. */
export const DATASOURCE: common.DataSourceRef = { type: 'prometheus', uid: '${datasource}' };

type Color = 'green' | 'orange' | 'red' | 'text';

/** A colour for each value from which on it holds; the one of `null` holds below all others. */
export type Steps = readonly (readonly [from: number | null, color: Color])[];

/** What every panel says of itself. The id stays when panels move: links name it. */
export interface PanelPlan {
  readonly id: number;
  readonly title: string;
  /** What it shows, and what to make of it. */
  readonly what: string;
  readonly unit: string;
  /** The top of a scale that begins at 0, such as 1 for a share. */
  readonly max?: number;
  /** Of 24 columns. */
  readonly width: number;
  readonly height?: number;
  /** Queries by their legends. */
  readonly queries: Readonly<Record<string, string>>;
  readonly steps?: Steps;
  readonly links?: readonly DataLink[];
}

interface CommonBuilder<Self> {
  id(id: number): Self;
  title(title: string): Self;
  description(text: string): Self;
  datasource(source: common.DataSourceRef): Self;
  unit(unit: string): Self;
  min(min: number): Self;
  max(max: number): Self;
  span(width: number): Self;
  height(height: number): Self;
  thresholds(steps: ThresholdsConfigBuilder): Self;
  dataLinks(links: DashboardLinkBuilder[]): Self;
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

export function fill<Self extends CommonBuilder<Self>>(
  builder: Self,
  plan: PanelPlan,
  kind: Kind,
  height: number,
): Self {
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
  if (plan.max !== undefined) filled.min(0).max(plan.max);
  const toLink = ({ title, url, targetBlank = false }: DataLink) =>
    new DashboardLinkBuilder(title).url(url).targetBlank(targetBlank);
  if (plan.links !== undefined) filled.dataLinks(plan.links.map(toLink));
  for (const [index, [legend, expr]] of Object.entries(plan.queries).entries())
    filled.withTarget(toQuery(expr, legend, index, kind));
  return filled;
}

/** Without it Grafana gives a missing value the colour of the lowest step, which is green for most. */
const NO_DATA: ValueMapping = {
  type: MappingType.SpecialValue,
  options: { match: SpecialValueMatch.NullAndNan, result: { text: 'no data', color: '#808080', index: 0 } },
};

const toStat = (plan: PanelPlan): statPanel.PanelBuilder =>
  fill(new statPanel.PanelBuilder(), plan, 'instant', 4)
    .mappings([NO_DATA])
    .colorMode(common.BigValueColorMode.Background)
    .graphMode(common.BigValueGraphMode.None)
    .noValue('no data');

/** One number for each series, as it is now. */
export const stat = (plan: PanelPlan): Panel => toStat(plan).build();

const fixed = (color: string): DynamicConfigValue => ({ id: 'color', value: { mode: 'fixed', fixedColor: color } });

/**
 * One number for each series of `value`, coloured by the limit of its own subnet: red from the limit on, orange from half
 * of it on. Grafana's thresholds are the same for all series of a panel, so Prometheus sorts the series by their colour.
 */
export function limitedStat({
  legend,
  value,
  limit,
  ...plan
}: Omit<PanelPlan, 'queries' | 'steps'> & {
  readonly legend: string;
  readonly value: string;
  /** By subnet. */
  readonly limit: string;
}): Panel {
  const half = `(${limit}) / 2`;
  const colors = {
    red: bySubnet(value, '>=', limit),
    orange: bySubnet(bySubnet(value, '<', limit), '>=', half),
    green: bySubnet(value, '<', half),
    text: `(${value}) unless on (subnet) (${limit})`,
  };
  const builder = toStat({ ...plan, queries: {} });
  for (const [index, [color, expr]] of Object.entries(colors).entries()) {
    builder.withTarget(toQuery(expr, legend, index, 'instant'));
    builder.overrideByQuery(String.fromCharCode(65 + index), [fixed(color)]);
  }
  return builder.build();
}

/** A line for each series, with its present and highest value in the legend; lines called `… limit` are dashed. */
export const graph = (plan: PanelPlan): Panel =>
  fill(new graphPanel.PanelBuilder(), plan, 'range', 9)
    .lineWidth(1)
    .fillOpacity(5)
    .axisSoftMin(0)
    .showPoints(common.VisibilityMode.Never)
    .overrideByRegexp('/limit$/', [
      fixed('red'),
      { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
      { id: 'custom.fillOpacity', value: 0 },
    ])
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max'])
        .showLegend(true),
    )
    .build();

/** A line whose zero is far away, as of heights. */
export const heightGraph = (plan: PanelPlan): Panel => {
  const panel = graph(plan);
  const { axisSoftMin: _, ...custom } = panel.fieldConfig?.defaults.custom ?? {};
  const overrides = panel.fieldConfig?.overrides ?? [];
  return { ...panel, fieldConfig: { overrides, defaults: { ...panel.fieldConfig?.defaults, custom } } };
};

/** A band for each series of 1, which is well, and 0, which is not; `words` says what they are called. */
export const timeline = (plan: Omit<PanelPlan, 'unit'>, words: readonly [well: string, bad: string]): Panel =>
  fill(new timelinePanel.PanelBuilder(), { ...plan, unit: 'none' }, 'range', 9)
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
