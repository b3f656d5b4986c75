/** 0: done, 1: something fails or broke, 2: wrong use or a bad configuration. */
export type ExitCode = 0 | 1 | 2;
