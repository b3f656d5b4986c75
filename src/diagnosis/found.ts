import type { Suspicion } from '../model/problem.ts';
import type { ProblemName } from './catalog.ts';

/** A suspicion by a name of the catalog. */
export type Found = Suspicion<ProblemName>;
