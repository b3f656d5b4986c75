import { defineConfig } from 'vitest/config';
import { findTests } from './test/support/find-tests.ts';
import all from './vitest.config.ts';

/** The tests that start no other program: they run anywhere, without root and Docker. */
export default defineConfig({
  test: {
    ...all.test,
    include: [...findTests(import.meta.dirname).unit],
    globalSetup: 'test/support/name-the-rest.ts',
  },
});
