import { describe, expect, it } from 'vitest';
import { testRules } from '../../support/promtool.ts';

/** By selector, a value that stays for two minutes; `from` adds what Prometheus adds to a scrape of that subnetd. */
const from = (instance: string, series: Readonly<Record<string, number>>) =>
  Object.entries(series).map(([selector, value]) => ({
    series: selector.replace('}', `, instance="${instance}", job="subnetd"}`),
    values: `${value}x12`,
  }));

/** What promtool says is wrong with these values of recorded series, a minute in; nothing if they are right. */
const testRecorded = (
  input: readonly object[],
  expected: Readonly<Record<string, readonly (readonly [labels: string, value: number])[]>>,
) =>
  testRules(
    ['records'],
    [
      {
        interval: '10s',
        input_series: input,
        promql_expr_test: Object.entries(expected).map(([record, samples]) => ({
          expr: record,
          eval_time: '1m',
          exp_samples: samples.map(([labels, value]) => ({ labels: `${record}{${labels}}`, value })),
        })),
      },
    ],
  );

describe('the recorded series', () => {
  it('are one for each check, node or container, however many subnetd watch them, and the worst of what they see', async () => {
    const node = 'subnet="s", name="n1"';
    const check = `subnet="s", component="node", name="n1", check="peers"`;
    const container = `subnet="s", component="relayer", name="relayer"`;
    const seen = (height: number, passes: number, bytes: number) => ({
      [`subnet_check_success{${check}}`]: passes,
      [`subnet_node_block_number{${node}, block="latest"}`]: height,
      [`subnet_node_block_number{${node}, block="committed"}`]: height - 3,
      [`subnet_container_memory_bytes{${container}}`]: bytes,
      [`subnet_container_memory_limit_bytes{${container}}`]: 1000,
    });
    expect(
      await testRecorded([...from('a', seen(100, 1, 250)), ...from('b', seen(99, 0, 750))], {
        'subnet_component_name_check:subnet_check_success:min': [[check, 0]],
        'subnet_name_block:subnet_node_block_number:max': [
          [`${node}, block="latest"`, 100],
          [`${node}, block="committed"`, 97],
        ],
        'subnet_component_name:subnet_container_memory_bytes:ratio': [[container, 0.75]],
      }),
    ).toBe('');
  });

  it('count how far each node is behind the highest of its own subnet', async () => {
    const height = (subnet: string, name: string) =>
      `subnet_node_block_number{subnet="${subnet}", name="${name}", block="latest"}`;
    expect(
      await testRecorded(from('a', { [height('s', 'n1')]: 100, [height('s', 'n2')]: 88, [height('t', 'n1')]: 7 }), {
        'subnet_name:subnet_node_block_number:behind': [
          ['subnet="s", name="n1"', 0],
          ['subnet="s", name="n2"', 12],
          ['subnet="t", name="n1"', 0],
        ],
      }),
    ).toBe('');
  });

  it('say nothing of a container without a limit', async () => {
    const unlimited = from('a', { 'subnet_container_memory_bytes{subnet="s", component="node", name="n"}': 1 });
    expect(await testRecorded(unlimited, { 'subnet_component_name:subnet_container_memory_bytes:ratio': [] })).toBe('');
  });
});
