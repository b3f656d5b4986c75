import { expect, it } from 'vitest';
import { killUnderLoad } from '../support/kill-loop.ts';

const TIMES = Number(process.env.SUBNETD_SOAK_KILLS ?? 100);

it(
  `${TIMES} times SIGKILL under load lose no acknowledged write`,
  async () => {
    const { acknowledged, kept } = await killUnderLoad(TIMES);
    expect(acknowledged.filter((name) => !kept.includes(name))).toEqual([]);
  },
  TIMES * 15_000,
);
