import { html } from 'hono/html';
import type { Target } from '../../model/target.ts';
import type { Html } from '../frame/marks.ts';

/** Where Grafana and Prometheus are for people, without a slash at the end; each absent when nobody has said. */
export interface OutsideAddresses {
  readonly grafanaUrl?: string | undefined;
  readonly prometheusUrl?: string | undefined;
}

/** A text in a query of Prometheus, whose escapes are those of Go. */
const quote = (text: string): string => JSON.stringify(text);

/** The series of a target: whether its checks pass, and how long its probes take; of a node also its height. */
export function queriesOf({ subnet, component, name }: Target): readonly string[] {
  const own = `subnet=${quote(subnet)},component=${quote(component)},name=${quote(name)}`;
  const node = `subnet=${quote(subnet)},name=${quote(name)}`;
  return [
    `subnet_check_success{${own}}`,
    `subnet_check_duration_seconds{${own}}`,
    ...(component === 'node' ? [`subnet_node_block_number{${node}}`] : []),
  ];
}

/** The dashboard of a target in Grafana, and its series in Prometheus's graph. */
export function outsideLinks(target: Target, { grafanaUrl, prometheusUrl }: OutsideAddresses): readonly Html[] {
  const { subnet, component, name } = target;
  const dashboard = component === 'node' ? 'subnetd-node' : 'subnetd-services';
  const variables = new URLSearchParams({ 'var-subnet': subnet, 'var-name': name });
  const graphs = new URLSearchParams(
    queriesOf(target).flatMap((query, index) => [
      [`g${index}.expr`, query],
      [`g${index}.tab`, '0'],
      [`g${index}.range_input`, '1h'],
    ]),
  );
  return [
    ...(grafanaUrl === undefined ? [] : [html`<a href="${grafanaUrl}/d/${dashboard}?${variables}">Grafana</a>`]),
    ...(prometheusUrl === undefined ? [] : [html`<a href="${prometheusUrl}/graph?${graphs}">Prometheus</a>`]),
  ];
}
