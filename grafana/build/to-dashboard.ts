import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DATASOURCE } from './panels.ts';

/** A row of a dashboard, from its first panel on; a folded one loads its data when it is opened. */
export interface Row {
  readonly title: string;
  readonly folded?: true;
  readonly panels: readonly Panel[];
}

/** A variable whose values are those of a label, beside `datasource`, which every dashboard has. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly query: string;
}

/** A mark in every graph, at the times that are the values of the query, in seconds. */
export interface Mark {
  readonly name: string;
  readonly expr: string;
  readonly color: string;
  readonly title: string;
  readonly text: string;
}

export interface DashboardPlan {
  readonly uid: string;
  readonly title: string;
  readonly what: string;
  readonly choices: readonly Choice[];
  readonly marks: readonly Mark[];
  readonly rows: readonly Row[];
}

/** Where people reach what a dashboard links to, without a slash at the end. */
export interface Places {
  readonly subnetd: string;
}

/** The mark of a new inventory; every dashboard has it. */
export const reloads: Mark = {
  name: 'Configuration reloads',
  expr: 'max by (instance) (subnetd_config_last_reload_success_timestamp_seconds)',
  color: 'blue',
  title: 'Inventory loaded',
  text: '{{instance}}',
};

/** The mark of a container that has started, of those that the selector names. */
export const restarts = (selector: string): Mark => ({
  name: 'Container restarts',
  expr: `max by (subnet, component, name) (subnet_container_start_timestamp_seconds{${selector}})`,
  color: 'orange',
  title: 'Container started',
  text: '{{subnet}} {{name}}',
});

/** The variable `subnet`. */
export const subnetChoice: Choice = {
  name: 'subnet',
  label: 'Subnet',
  query: 'label_values(subnet_nodes, subnet)',
};

/** The variable `component`, of the components that the selector leaves. */
export const componentChoice = (selector: string): Choice => ({
  name: 'component',
  label: 'Component',
  query: `label_values(subnet_check_interval_seconds{${selector}}, component)`,
});

const toVariable = ({ name, label, query }: Choice): QueryVariableBuilder =>
  new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ qryType: 1, query, refId: 'PrometheusVariableQueryEditor-VariableQuery' })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ selected: true, text: ['All'], value: ['$__all'] });

const toAnnotation = ({ name, expr, color, title, text }: Mark): AnnotationQueryBuilder =>
  new AnnotationQueryBuilder()
    .name(name)
    .datasource(DATASOURCE)
    .enable(true)
    .iconColor(color)
    // Grafana counts in milliseconds.
    .expr(`1000 * ${expr}`)
    .step('10s')
    .useValueForTime(true)
    .titleFormat(title)
    .textFormat(text);

const toRow = (
  { title, panels, folded = false }: Omit<Row, 'folded'> & { folded?: boolean },
  id: number,
): RowBuilder => {
  const row = new RowBuilder(title).id(id).collapsed(folded);
  for (const panel of panels) row.withPanel({ build: () => panel });
  return row;
};

/** A dashboard as Grafana reads it from a file. */
export function toDashboard({ uid, title, what, choices, marks, rows }: DashboardPlan, { subnetd }: Places): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(what)
    .tags(['subnetd'])
    .readonly()
    .timezone('browser')
    .time({ from: 'now-1h', to: 'now' })
    .refresh('10s')
    .tooltip(DashboardCursorSync.Crosshair)
    .links([
      new DashboardLinkBuilder('subnetd')
        .type(DashboardLinkType.Dashboards)
        .tags(['subnetd'])
        .includeVars(true)
        .keepTime(true),
      new DashboardLinkBuilder('Every verdict with its reason')
        .type(DashboardLinkType.Link)
        .url(`${subnetd}/`)
        .targetBlank(true),
    ])
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'));
  for (const choice of choices) builder.withVariable(toVariable(choice));
  for (const mark of marks) builder.annotation(toAnnotation(mark));
  for (const [index, row] of rows.entries()) {
    // A row that is open lies before its panels, a folded one around them.
    builder.withRow(toRow(row.folded ? row : { ...row, panels: [] }, 1000 + index));
    if (!row.folded) for (const panel of row.panels) builder.withPanel({ build: () => panel });
  }
  const { links = [], annotations, ...built } = builder.build();
  return {
    ...built,
    // The builder puts both into a menu; links are there to be seen.
    links: links.map(({ placement: _, ...link }) => link),
    annotations: { list: annotations?.list?.map(({ placement: _, ...mark }) => mark) ?? [] },
  };
}
