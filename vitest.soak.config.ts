import { defineConfig } from 'vitest/config';

/** The long runs, one after another, so that they do not disturb what they measure. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.soak.ts'],
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
  },
});
