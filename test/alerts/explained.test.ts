import { beforeAll, describe, expect, it } from 'vitest';
import { alertGroups } from '../../src/alerts/alert-rules.ts';
import {
  absent,
  constant,
  type PromtoolCase,
  rising,
  type Series,
  testCases,
  toFiringTest,
} from '../support/promtool.ts';

type Values = Series[string];
const always = (value: number): Values => [constant(value), constant(value)];
const rises: Values = [rising(100, 5), rising(100, 5)];

/** What is wrong with the nodes of a subnet, by their numbers. */
interface Wrong {
  readonly down?: readonly number[];
  readonly stalled?: readonly number[];
  /** Their log shows new blocks. */
  readonly heard?: readonly number[];
}

/** The metrics of one node and of what is said of it elsewhere. */
function nodeSeries(n: number, count: number, { down = [], stalled = [], heard = [] }: Wrong) {
  const name = `subnet="s", name="n${n}"`;
  const isDown = down.includes(n);
  const isStalled = stalled.includes(n);
  const check = (which: string, passes: boolean): readonly [string, Values] => [
    `subnet_check_success{${name}, component="node", check="${which}"}`,
    always(passes ? 1 : 0),
  ];
  const seen: readonly (readonly [string, Values])[] = isDown
    ? []
    : [
        [`subnet_node_peers{${name}}`, always(count - 1 - down.length)],
        [`subnet_node_block_number{${name}, block="latest"}`, isStalled ? always(100) : rises],
      ];
  return [
    check('latest_block', !isDown && !isStalled),
    check('peers', down.length === 0),
    [`subnet_node_up{${name}}`, always(isDown ? 0 : 1)] as const,
    [`subnet_node_peers_expected{${name}}`, always(count - 1)] as const,
    [`subnet_node_log_block_number{${name}}`, heard.includes(n) ? rises : always(100)] as const,
    ...seen,
  ];
}

const subnetOf = (count: number, wrong: Wrong, more: Series = {}): Series => ({
  'up{job="subnetd", instance="a"}': always(1),
  'subnet_nodes{subnet="s"}': always(count),
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => nodeSeries(n + 1, count, wrong)).flat()),
  ...more,
});

const relayerFails: Series = {
  'subnet_check_success{subnet="s", component="relayer", name="relayer", check="submissions"}': always(0),
};
const relayerReads = (node: string): Series => ({
  [`subnet_reads_from_info{subnet="s", component="relayer", name="relayer", node="${node}"}`]: always(1),
});

const ofNode = (alertname: string, n: number) => ({ alertname, component: 'node', name: `n${n}` });
const page = (alertname: string) => ({ alertname });
const watchdog = page('SubnetdWatchdog');
const relayerStopped = { alertname: 'SubnetRelayerStopped', component: 'relayer', name: 'relayer' };

/** Nothing but these fires after ten minutes. */
const firesOnly = (series: Series, ...firing: Parameters<typeof toFiringTest>[2]) =>
  toFiringTest(series, 60, [watchdog, ...firing]);

describe('what fires', () => {
  // All are one run of promtool, as each start of it costs more than a test.
  const cases: Record<string, PromtoolCase> = {};
  let wrong: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    wrong = await testCases(cases);
  }, 600_000);
  /** Each test names exactly what fires of the rules of these groups. */
  const fires = (sentence: string, toTests: () => readonly object[], groups = Object.keys(alertGroups)) => {
    cases[sentence] = { groups, tests: toTests() };
    it(sentence, () => {
      expect(wrong[sentence]).toBe('');
    });
  };

  fires('is the watchdog alone when all is well', () => [firesOnly(subnetOf(4, {}))]);

  fires('of seven nodes with one down is that node, whose absence explains the peers that the others miss', () => [
    firesOnly(subnetOf(7, { down: [2] }), ofNode('SubnetNodeDown', 2), ofNode('SubnetNodePeersMissing', 2)),
  ]);

  fires('of seven nodes with two down is the risk that a third halts the subnet', () => [
    firesOnly(
      subnetOf(7, { down: [2, 3] }),
      page('SubnetQuorumAtRisk'),
      ...[2, 3].flatMap((n) => [ofNode('SubnetNodeDown', n), ofNode('SubnetNodePeersMissing', n)]),
    ),
  ]);

  fires('of four nodes with one stalled is the risk, as 0.667 of 4 is 3', () => [
    firesOnly(subnetOf(4, { stalled: [2] }), page('SubnetQuorumAtRisk'), ofNode('SubnetNodeStalled', 2)),
  ]);

  fires('of six nodes with one stalled is the risk: two thirds would be 4, but 0.667 of 6 is a little more', () => [
    firesOnly(subnetOf(6, { stalled: [2] }), page('SubnetQuorumAtRisk'), ofNode('SubnetNodeStalled', 2)),
  ]);

  fires('of five nodes with one stalled is the risk, and of seven it is not', () => [
    firesOnly(subnetOf(5, { stalled: [2] }), page('SubnetQuorumAtRisk'), ofNode('SubnetNodeStalled', 2)),
    firesOnly(subnetOf(7, { stalled: [2] }), ofNode('SubnetNodeStalled', 2)),
  ]);

  fires('is no risk while the log of a node that does not answer shows that it advances', () => [
    firesOnly(subnetOf(4, { down: [2], heard: [2] }), ofNode('SubnetNodeDown', 2), ofNode('SubnetNodePeersMissing', 2)),
  ]);

  fires('is a halted subnet when all nodes are down, and no risk beside it', () => [
    firesOnly(
      subnetOf(3, { down: [1, 2, 3] }),
      page('SubnetHalted'),
      ...[1, 2, 3].flatMap((n) => [ofNode('SubnetNodeDown', n), ofNode('SubnetNodePeersMissing', n)]),
    ),
  ]);

  fires('is no halted subnet when no node can be asked but the logs show that blocks come', () => [
    firesOnly(subnetOf(1, { down: [1], heard: [1] }), ofNode('SubnetNodeDown', 1), ofNode('SubnetNodePeersMissing', 1)),
  ]);

  fires('is a relayer that stopped, unless the node that it reads from is down', () => {
    const down = [ofNode('SubnetNodeDown', 1), ofNode('SubnetNodePeersMissing', 1)];
    return [
      firesOnly(subnetOf(7, {}, { ...relayerFails, ...relayerReads('n1') }), relayerStopped),
      firesOnly(subnetOf(7, { down: [1] }, { ...relayerFails, ...relayerReads('n2') }), relayerStopped, ...down),
      firesOnly(subnetOf(7, { down: [1] }, { ...relayerFails, ...relayerReads('n1') }), ...down),
    ];
  });

  fires('is a relayer that runs in no mode, which is a ticket and no page', () => {
    const idle: Series = {
      'subnet_known_failure{subnet="s", component="relayer", name="relayer", failure="relayer_idle"}': always(1),
    };
    return [
      firesOnly(subnetOf(4, {}, { ...relayerFails, ...idle }), { ...relayerStopped, alertname: 'SubnetRelayerIdle' }),
    ];
  });

  fires('is subnetd itself when Prometheus has no such target any more', () => {
    const { 'up{job="subnetd", instance="a"}': _, ...series } = subnetOf(4, {});
    return [firesOnly(series, page('SubnetdDown'))];
  });

  fires('is a container that is down, not one that restarts, when it has been gone for minutes', () => {
    const of = 'subnet="s", component="bootnode", name="bootnode"';
    const gone: Series = {
      [`subnet_check_success{${of}, check="container"}`]: always(0),
      [`subnet_container_running{${of}}`]: always(0),
      [`subnet_container_restarts_total{${of}}`]: always(0),
    };
    const bootnode = { component: 'bootnode', name: 'bootnode' };
    const back: Series = {
      ...gone,
      [`subnet_container_running{${of}}`]: [constant(1), (step) => (step < 40 ? 0 : 1)],
    };
    return [
      firesOnly(subnetOf(4, {}, gone), { alertname: 'SubnetContainerDown', ...bootnode }),
      firesOnly(subnetOf(4, {}, back)),
    ];
  });

  fires('is a container that restarted after a crash, and nothing when the restart was asked for', () => {
    const of = 'subnet="s", component="bootnode", name="bootnode"';
    const from = (step: number, before: number, after: number): Values => [
      constant(before),
      (now) => (now < step ? before : after),
    ];
    /** Down for 10 s four minutes ago. */
    const restart = (planned: Values): Series => ({
      [`subnet_check_success{${of}, check="container"}`]: from(35, 1, 0),
      [`subnet_container_running{${of}}`]: [constant(1), (step) => (step === 35 ? 0 : 1)],
      [`subnet_container_restarts_total{${of}}`]: from(36, 0, 1),
      [`subnet_container_restart_planned{${of}}`]: planned,
    });
    const alert = { alertname: 'SubnetContainerRestarting', component: 'bootnode', name: 'bootnode' };
    const first = (after: number): Values => [absent, (step) => (step < 36 ? undefined : after)];
    const by = (planned: Values, ...firing: (typeof alert)[]) =>
      toFiringTest(subnetOf(1, {}, restart(planned)), 60, [watchdog, ...firing]);
    // A crash after a planned restart, and the other way round, are the last two.
    return [by(first(0), alert), by(first(1)), by(from(36, 1, 0), alert), by(from(36, 0, 1))];
  }, ['containers', 'subnetd']);

  fires(
    'is the Docker Engine that is gone with its subnets, no log on it, and each container and log elsewhere',
    () => {
      const targetOf = (component: string, name = component) => `subnet="s", component="${component}", name="${name}"`;
      const onEngine = (engine: string, of: string): Series => ({
        [`subnet_container_engine_info{${of}, engine="${engine}"}`]: always(1),
        // What was seen half a minute before the end of machine2, as a stop of Docker ends its containers first.
        [`subnet_check_success{${of}, check="container"}`]:
          engine === 'machine1' ? always(0) : [absent, (step) => (step < 17 ? 1 : step < 20 ? 0 : undefined)],
        [`subnet_container_running{${of}}`]:
          engine === 'machine1' ? always(0) : [absent, (step) => (step < 17 ? 1 : step < 20 ? 0 : undefined)],
        [`subnet_container_restarts_total{${of}}`]: always(0),
        [`subnet_log_source_up{${of}, source="container"}`]: from(20, engine === 'machine1' ? 0 : 1, 0),
      });
      const from = (step: number, before: number, after: number): Values => [
        constant(before),
        (now) => (now < step ? before : after),
      ];
      const [stats, relayer, frontend] = [targetOf('stats'), targetOf('relayer'), targetOf('frontend')];
      const series: Series = {
        ...onEngine('machine1', stats),
        ...onEngine('machine2', relayer),
        ...onEngine('machine2', frontend),
        [`subnet_log_source_up{${frontend}, source="file"}`]: always(0),
        'subnetd_docker_up{engine="machine1"}': always(1),
        'subnetd_docker_up{engine="machine2"}': from(20, 1, 0),
      };
      const own = (alertname: string, name: string) => ({ alertname, component: name, name });
      const expected = [
        watchdog,
        { alertname: 'SubnetdDockerDown', engine: 'machine2' },
        own('SubnetContainerDown', 'stats'),
        own('SubnetdLogSourceDown', 'stats'),
        own('SubnetdLogSourceDown', 'frontend'),
      ];
      // While the last sample of a container counts, and long after.
      return [30, 33, 36, 120].map((steps) => toFiringTest(subnetOf(4, {}, series), steps, expected));
    },
  );

  fires('is a check that has missed its runs, and not one that has none to make by night', () => {
    const of = 'subnet="s", component="relayer", name="relayer", check="http"';
    const stale = { alertname: 'SubnetdCheckStale', component: 'relayer', name: 'relayer' };
    /** Every 300 s by day, which begins at the step `morning`; the last run before it was at second 0. */
    const by = (morning: number, steps: number, lastRun: (step: number) => number, ...firing: (typeof stale)[]) => {
      const series = subnetOf(
        1,
        {},
        {
          [`subnet_check_last_run_timestamp_seconds{${of}}`]: [constant(0), lastRun],
          [`subnet_check_interval_seconds{${of}}`]: [constant(300), (step) => (step < morning ? 54_300 : 300)],
        },
      );
      return toFiringTest(series, steps, [watchdog, ...firing]);
    };
    // The run of the morning ends 20 s after it was due, with a verdict that was a night old until then.
    const works = (step: number) => (step < 202 ? 0 : 2_020 + 300 * Math.floor((step - 202) / 30));
    const never = () => 0;
    return [
      by(1_000, 300, never),
      by(200, 202, works),
      by(200, 250, works),
      by(200, 229, never),
      by(200, 233, never, stale),
      // Runs stop by day: the interval is that of the day all night long.
      by(0, 400, never, stale),
    ];
  }, ['subnetd']);

  fires('is the same when two subnetd watch the same subnet', () => {
    const twice = Object.entries(subnetOf(4, { stalled: [2] })).flatMap(([selector, values]) => {
      if (selector.startsWith('up{')) return [[selector, values] as const];
      return ['a', 'b'].map((instance) => [selector.replace('}', `, instance="${instance}"}`), values] as const);
    });
    return [firesOnly(Object.fromEntries(twice), page('SubnetQuorumAtRisk'), ofNode('SubnetNodeStalled', 2))];
  });
});
