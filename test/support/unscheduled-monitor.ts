import { createMonitor } from '../../src/watch/monitor/create-monitor.ts';

type MonitorDeps = Parameters<typeof createMonitor>[0];

/** A monitor that probes only when it is asked to. What breaks in it is thrown. */
export const createUnscheduledMonitor = (deps: Pick<MonitorDeps, 'clock'> & Partial<MonitorDeps>) =>
  createMonitor({
    scheduled: false,
    onBug: (error) => {
      throw error;
    },
    ...deps,
  });
