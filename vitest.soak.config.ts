import { defineConfig } from 'vitest/config';

/** The long runs, one after another, so that they do not disturb what they measure. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.soak.ts', 'test/watch/logs/file/every-line-once.test.ts'],
    // Of the random rotations.
    env: { SUBNETD_TEST_RUNS: '1000' },
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
  },
});
