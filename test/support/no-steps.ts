import type { StepHistory, Steps } from '../../src/model/history.ts';
import type { TimeInput } from '../../src/web/pages/time-section.ts';

const none: Steps = [];

/** A history that knows no step of anything. */
export const NO_STEPS: StepHistory = {
  stepsOf: () => ({ blocks: none, gap: none, coins: none }),
  targetStepsOf: () => ({ p50: none, p95: none, lag: none, missed: none }),
};

/** Charts of the last hour without data. */
export const NO_TIME: TimeInput = { range: '1h', history: NO_STEPS, incidentsOf: () => [] };
