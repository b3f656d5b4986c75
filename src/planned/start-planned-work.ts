import type { WallMs } from '../model/clock.ts';
import type { MaintenanceWindow, PlannedWork } from '../model/planned-work.ts';
import { compileWindows } from './compile-windows.ts';

/** The planned work that is known. */
export interface PlannedWorkLink {
  /** Replaces the windows of the inventory. */
  setWindows(windows: readonly MaintenanceWindow[]): void;
  /** What is known to be in force then, and maybe more. */
  at(wallMs: WallMs): readonly PlannedWork[];
}

/** Starts without any. */
export function startPlannedWork(): PlannedWorkLink {
  let windowsAt = compileWindows([]);
  return {
    setWindows: (windows) => {
      windowsAt = compileWindows(windows);
    },
    at: (wallMs) => windowsAt(wallMs),
  };
}
