import type { Patience } from './follow-problems.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Every problem: how bad it is, how long it must last before it is confirmed, and how long it must be gone to be over. */
export const catalog = {
  subnet_halted: { severity: 'critical', confirmMs: 10 * SECOND, clearMs: MINUTE },
  quorum_at_risk: { severity: 'critical', confirmMs: 30 * SECOND, clearMs: 2 * MINUTE },
  finality_stalled: { severity: 'critical', confirmMs: 30 * SECOND, clearMs: 2 * MINUTE },
  node_down: { severity: 'warning', confirmMs: 30 * SECOND, clearMs: MINUTE },
  node_hanging: { severity: 'warning', confirmMs: 30 * SECOND, clearMs: MINUTE },
  node_stalled: { severity: 'warning', confirmMs: 30 * SECOND, clearMs: MINUTE },
  node_behind: { severity: 'warning', confirmMs: 3 * MINUTE, clearMs: 2 * MINUTE },
  node_partitioned: { severity: 'critical', confirmMs: 30 * SECOND, clearMs: MINUTE },
  peers_missing: { severity: 'warning', confirmMs: 2 * MINUTE, clearMs: 2 * MINUTE },
  container_down: { severity: 'warning', confirmMs: 30 * SECOND, clearMs: MINUTE },
  container_paused: { severity: 'warning', confirmMs: 30 * SECOND, clearMs: MINUTE },
  container_restarting: { severity: 'warning', confirmMs: 0, clearMs: 10 * MINUTE },
  monitor_offline: { severity: 'warning', confirmMs: 0, clearMs: 30 * SECOND },
} as const satisfies Readonly<Record<string, Patience>>;

export type ProblemName = keyof typeof catalog;
