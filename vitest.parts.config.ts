import { createConfig } from './vitest.config.ts';

/** The tests that start real programs: Docker, PostgreSQL, Prometheus, Alertmanager, Chromium, subnetd itself. */
export default createConfig(['parts']);
