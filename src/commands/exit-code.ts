/** 0: success; 1: a check failed, or something broke; 2: wrong usage or a bad configuration. */
export type ExitCode = 0 | 1 | 2;
