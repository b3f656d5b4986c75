import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { FAULT_NAMES, type FaultName } from '../../src/demo/faults.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import type { AlertName } from '../../src/tell/alerts/alert-rules.ts';
import type { AlertLabels } from '../../src/tell/alerts/tracked-alert.ts';
import { startAlertmanager } from '../support/alertmanager.ts';
import { eventually, startDaemon } from '../support/cli.ts';
import { startPrometheus } from '../support/prometheus.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

interface Told {
  readonly labels: AlertLabels;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Subnetd's own state differs by how it is seen, and these wait for a quarter of an hour. */
const OTHERS = ['SubnetdWatchdog', 'SubnetdDown', 'SubnetCheckDegraded'];

const toLines = (told: readonly Told[]): readonly string[] =>
  told
    .filter(({ labels }) => !OTHERS.includes(labels.alertname ?? ''))
    .map(({ labels }) => JSON.stringify(Object.fromEntries(Object.entries(labels).sort())))
    .sort();

/**
 * One fault of the demo, watched by a daemon of its own, as each simulation has a Docker Engine of its own. The subnet is
 * called like the fault. Gives where it is scraped.
 */
async function watchFault(fault: FaultName, urls: readonly string[]): Promise<string> {
  const simulation = await startSimulation({ nodes: 4, faults: [fault] });
  cleanups.push(simulation.stop);
  const { subnets, docker } = parse(simulation.inventory());
  const config = pathOf(`${fault}.yaml`);
  await writeFile(config, stringify({ subnets: [{ ...subnets[0], name: fault }], docker, alertmanager: { urls } }));
  const daemon = await startDaemon(config, {
    SUBNETD_PUBLIC_URL: 'http://127.0.0.1:10545',
    SUBNETD_GRAFANA_URL: 'http://127.0.0.1:3000',
    SUBNETD_DATABASE_URL: `sqlite:${pathOf(`${fault}.db`)}`,
  });
  cleanups.push(async () => {
    daemon.child.kill('SIGKILL');
    await daemon.finished;
  });
  return new URL(daemon.url).host;
}

/** What each fault lasts in, but for those that only a browser sees or that are not a failure. */
const LASTING: Readonly<Partial<Record<FaultName, AlertName>>> = {
  'node-stalled': 'SubnetNodeStalled',
  'node-down': 'SubnetNodeDown',
  'node-behind': 'SubnetNodeBehind',
  'peer-missing': 'SubnetNodePeersMissing',
  'rpc-error-inside-result': 'SubnetNodeTellsNoBlock',
  'rpc-garbage': 'SubnetNodeDown',
  'subnet-halted': 'SubnetHalted',
  'service-down': 'SubnetServiceDown',
  'relayer-silent': 'SubnetRelayerStopped',
  'relayer-dead-container-up': 'SubnetRelayerStopped',
  'relayer-forking': 'SubnetRelayerStopped',
  'bootnode-misses-a-node': 'SubnetBootnodeMissesNode',
  'stats-stale': 'SubnetStatsStale',
  'frontend-error': 'SubnetFrontendErrors',
  'oom-kill': 'SubnetContainerOutOfMemory',
  'ipc-path-too-long': 'SubnetIpcPathTooLong',
};

/** As many as two processors watch without being late. */
const AT_ONCE = 5;
const batches = Array.from({ length: Math.ceil(FAULT_NAMES.length / AT_ONCE) }, (_, index) => {
  const faults = FAULT_NAMES.slice(index * AT_ONCE, (index + 1) * AT_ONCE);
  return [faults.join(', '), faults] as const;
});

it.each(batches)(
  'fires for %s what the shipped rules fire in a real Prometheus, with the same labels and texts',
  async (_, faults) => {
    const alertmanager = await startAlertmanager();
    cleanups.push(alertmanager.stop);
    const targets: string[] = [];
    for (const fault of faults) targets.push(await watchFault(fault, [alertmanager.url]));
    const rules = fileURLToPath(new URL('../../config/prometheus/rules/*.yml', import.meta.url));
    const prometheus = await startPrometheus(
      stringify({
        global: { scrape_interval: '5s', evaluation_interval: '5s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: 'subnetd', static_configs: [{ targets }] }],
      }),
    );
    cleanups.push(prometheus.stop);

    const scraped = async (): Promise<readonly Told[]> => {
      const { alerts } = (await prometheus.get('alerts')) as {
        readonly alerts: readonly (Told & { readonly state: string })[];
      };
      return alerts.filter(({ state }) => state === 'firing');
    };
    const lasting = faults.flatMap((fault) =>
      LASTING[fault] === undefined ? [] : [{ fault, alertname: LASTING[fault] }],
    );
    const [byRule, byPush] = await eventually(async () => {
      const both = [await scraped(), await alertmanager.alerts()] as const;
      const lines = toLines(both[1]);
      for (const { fault, alertname } of lasting)
        if (!lines.some((line) => line.includes(`"${alertname}"`) && line.includes(`"${fault}"`)))
          throw new Error(`there is no ${alertname} of ${fault}; there are:\n${lines.join('\n')}`);
      expect(lines).toEqual(toLines(both[0]));
      return both;
    }, 900_000);

    // A value may have changed between the two looks: numbers are compared where they stay.
    const textOf = ({ annotations: { description = '', ...rest } }: Told) => ({
      ...rest,
      description: description.replaceAll(/\d+/g, '0'),
    });
    const pushed = new Map(byPush.map((told) => [toLines([told])[0], told]));
    for (const told of byRule) {
      const [line] = toLines([told]);
      const same = pushed.get(line);
      if (line !== undefined && same !== undefined) expect(textOf(same), line).toEqual(textOf(told));
    }
  },
);
