import type { Suspicion } from '../../../model/problem.ts';
import type { SetupObservation } from '../../../model/setup.ts';
import type { SubnetView } from '../subnet-view.ts';
import { describeWhere } from './describe-where.ts';

/** This subnetd shows what it knows to everybody who reaches its port from beyond its machine. */
export function findMonitorExposures(_: SubnetView, { monitor }: SetupObservation): readonly Suspicion[] {
  const where = monitor?.ok ? describeWhere(monitor.value.servedAt) : undefined;
  if (where === undefined || where.reach === 'loopback') return [];
  return [
    {
      problem: where.reach === 'public' ? 'monitor_exposed' : 'monitor_open',
      summary: 'subnetd itself shows all that it knows to anyone',
      evidence: `at ${where.text} subnetd shows its metrics and pages without a password, with the addresses of all nodes and lines of their logs`,
      fix: `set SUBNETD_LISTEN=127.0.0.1:${where.port}, or name a file with basic_auth_users and tls_server_config in SUBNETD_WEB_CONFIG, and start subnetd again`,
      explains: [],
      causes: [],
    },
  ];
}
