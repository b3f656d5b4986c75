import { expect, it } from 'vitest';
import { killUnderLoad } from '../support/kill-loop.ts';

const TIMES = Number(process.env.SUBNETD_SOAK_KILLS ?? 1_000);
const LANES = 3;

it(
  `${TIMES} times SIGKILL under load lose no acknowledged write`,
  async () => {
    const { acknowledged, lost, damage } = await killUnderLoad(TIMES, LANES);
    expect(acknowledged).toBeGreaterThan(TIMES * 20);
    expect({ lost, damage }).toEqual({ lost: [], damage: [] });
  },
  60_000 + TIMES * 4_000,
);
