import type { StepHistory, Steps, SubnetSteps } from '../../src/model/history.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { TimeInput } from '../../src/web/pages/time-section.ts';

const none: Steps = [];

/** A history that knows no step of anything. */
export const NO_STEPS: StepHistory = {
  stepsOf: () => ({ blocks: none, gap: none, coins: none }),
  targetStepsOf: () => ({ p50: none, p95: none, lag: none, missed: none }),
  strangersOf: () => [],
};

/** Charts of the last hour without data. */
export const NO_TIME: TimeInput = { range: '1h', history: NO_STEPS, incidentsOf: () => [] };

/** Charts of the last hour of which only these steps of a subnet, and incidents, are known. */
export const timeWith = (steps: Partial<SubnetSteps>, incidents: readonly Incident[] = []): TimeInput => ({
  range: '1h',
  history: { ...NO_STEPS, stepsOf: () => ({ blocks: none, gap: none, coins: none, ...steps }) },
  incidentsOf: () => incidents,
});
