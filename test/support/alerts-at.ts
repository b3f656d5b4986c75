import { alertKey, type TrackedAlert, type TrackedAlerts } from '../../src/tell/alerts/tracked-alert.ts';

/** An alert of `devnet` that fires since `firedAt`. */
export function firingAlert(name: string, firedAt: number, more: Partial<TrackedAlert> = {}): TrackedAlert {
  return {
    labels: { alertname: 'SubnetNodeDown', severity: 'warning', subnet: 'devnet', component: 'node', name },
    annotations: {
      summary: 'A node of devnet does not answer.',
      description: `${name} answers no JSON-RPC call.`,
      runbook_url: `http://subnetd.example/alerts/SubnetNodeDown?subnet=devnet&name=${name}`,
    },
    details: { summary: `${name} is down`, evidence: 'it answers no call', fix: `docker restart ${name}` },
    keepFiringForMs: 0,
    phase: 'firing',
    activeAt: firedAt,
    seenAt: firedAt,
    firedAt,
    ...more,
  };
}

/** The alert that pages for the whole subnet. */
export const haltedAlert = (firedAt: number): TrackedAlert =>
  firingAlert('', firedAt, {
    labels: { alertname: 'SubnetHalted', severity: 'critical', subnet: 'devnet' },
    details: { summary: 'the subnet has halted', evidence: 'no block for 90s', fix: 'start two nodes' },
  });

/** The same alert, ended. */
export const resolvedAlert = (alert: TrackedAlert, resolvedAt: number): TrackedAlert => ({
  ...alert,
  phase: 'resolved',
  seenAt: resolvedAt,
  resolvedAt,
});

/** By their keys. */
export const alertsOf = (...alerts: readonly TrackedAlert[]): TrackedAlerts =>
  new Map(alerts.map((one) => [alertKey(one.labels), one]));
