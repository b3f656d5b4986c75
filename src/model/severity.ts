/** How bad a problem is, the worst first: `critical` pages, `warning` is a ticket, `info` is context. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const;
export type ProblemSeverity = (typeof SEVERITIES)[number];
