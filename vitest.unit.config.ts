import { defineConfig } from 'vitest/config';
import { findTests } from './test/support/find-tests.ts';

/** The tests that start no other program: they run anywhere, without root and Docker. */
export default defineConfig({
  test: { include: [...findTests(import.meta.dirname).unit], maxWorkers: 6, testTimeout: 30_000 },
});
