import { createConfig } from './vitest.config.ts';

/** The tests that start no other program: they run anywhere, without root and Docker. */
export default createConfig(['unit']);
