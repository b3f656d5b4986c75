import { type DynamicConfigValue, MappingType, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import * as tablePanel from '@grafana/grafana-foundation-sdk/table';
import type { DataLink } from './links.ts';
import { fill, type PanelPlan, type Steps } from './panels.ts';

/** A column of a table: its field, and how it is called and shown. */
export interface Column {
  readonly field: string;
  readonly title?: string;
  readonly unit?: string;
  readonly steps?: Steps;
  readonly link?: DataLink;
  /** What is shown in the place of 0. */
  readonly zero?: string;
  /** There for a link to read, and not shown. */
  readonly hidden?: boolean;
}

function toProperties({ title, unit, steps, link, zero, hidden }: Column): DynamicConfigValue[] {
  return [
    ...(title === undefined ? [] : [{ id: 'displayName', value: title }]),
    ...(unit === undefined ? [] : [{ id: 'unit', value: unit }]),
    ...(link === undefined ? [] : [{ id: 'links', value: [link] }]),
    ...(zero === undefined
      ? []
      : [{ id: 'mappings', value: [{ type: MappingType.ValueToText, options: { 0: { text: zero, index: 0 } } }] }]),
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
 * One row for each set of labels, with exactly these columns in this order. A single query's value is in the field
 * `Value`; several queries' values are in `Value #A`, `Value #B`, … in their order. Their legends are not shown.
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
