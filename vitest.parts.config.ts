import { defineConfig, mergeConfig } from 'vitest/config';
import { findTests } from './test/support/find-tests.ts';
import all from './vitest.config.ts';

/** The tests that start real programs: Docker, PostgreSQL, Prometheus, Alertmanager, Chromium, subnetd itself. */
export default mergeConfig(
  { ...all, test: { ...all.test, include: [] } },
  defineConfig({
    test: { include: [...findTests(import.meta.dirname).parts] },
  }),
);
