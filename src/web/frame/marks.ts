import { html } from 'hono/html';
import type { Standing } from '../../model/headline.ts';
import type { Problem } from '../../model/problem.ts';
import { FORECASTS, type ProblemName, problemCatalog } from '../../model/problem-catalog.ts';
import { findContainer, isOnlyRestarted } from '../../model/restart-cause.ts';
import type { ProblemSeverity } from '../../model/severity.ts';
import type { ExplainedCheckState, TargetState } from '../../model/snapshot.ts';
import type { CheckName, Verdict } from '../../model/verdict.ts';
import { OUTLINE_OF } from './glance.ts';

/** A piece of a page. Values in it are escaped. */
export type Html = ReturnType<typeof html>;

/** The four shapes, which stand beside their word: a disc, a triangle, an octagon, a broken ring. Every page holds them once. */
export const shapes = html`<svg width="0" height="0" class="sr" aria-hidden="true"><defs>
<symbol id="ok" viewBox="0 0 16 16"><path d="${OUTLINE_OF.ok}"/><path class="stroke" d="M4.3 8.4l2.6 2.4 4.8-5.2"/></symbol>
<symbol id="warn" viewBox="0 0 16 16"><path d="${OUTLINE_OF.warn}"/><path class="stroke" d="M8 5.3v5M8 11.7v1.8"/></symbol>
<symbol id="bad" viewBox="0 0 16 16"><path d="${OUTLINE_OF.bad}"/><path class="stroke" d="M5 5l6 6M11 5l-6 6"/></symbol>
<symbol id="off" viewBox="0 0 16 16"><path d="${OUTLINE_OF.off}" class="ring"/><path d="M4.4 7h7.2v2H4.4z"/></symbol>
<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v7"/></pattern>
</defs></svg>`;

/** A shape alone; a word beside it says the same. */
export const shape = (standing: Standing): Html =>
  html`<svg class="shape ${standing}" aria-hidden="true"><use href="#${standing}"/></svg>`;

/** A shape with its word. */
export const badge = (standing: Standing, word: string): Html =>
  html`<span class="badge ${standing}"><svg class="shape" aria-hidden="true"><use href="#${standing}"/></svg>${word}</span>`;

const OF_VERDICT: Readonly<Record<Verdict, Standing>> = {
  pass: 'ok',
  degraded: 'warn',
  fail: 'bad',
  unknown: 'off',
  skipped: 'off',
};

export const standingOfVerdict = (verdict: Verdict): Standing => OF_VERDICT[verdict];

const OF_SEVERITY: Readonly<Record<ProblemSeverity, Standing>> = { critical: 'bad', warning: 'warn', info: 'off' };

export const standingOfSeverity = (severity: ProblemSeverity): Standing => OF_SEVERITY[severity];

/** How a thing is by the problems of these names: the first that is open, or what would page if it is confirmed; undefined without. */
export function standingOfProblems(problems: readonly Problem[], names: readonly ProblemName[]): Standing | undefined {
  const own = problems.filter(({ problem }) => names.includes(problem));
  const open = own.find(({ state }) => state === 'open');
  if (open !== undefined) return standingOfSeverity(open.severity);
  return own.some(({ state, severity }) => state === 'suspected' && severity === 'critical') ? 'warn' : undefined;
}

/** How a target is, with the word for it. */
export interface TargetStanding {
  readonly standing: Standing;
  readonly word: 'OK' | 'degraded' | 'affected' | 'problem' | 'checking' | 'fail' | 'starting' | 'unknown' | 'skipped';
  /** The check that says so. */
  readonly check?: ExplainedCheckState;
}

/** Whether a check fails because of something else than its own target. */
const isAffected = ({ because }: ExplainedCheckState, { target }: TargetState): boolean =>
  because !== undefined && (because.component !== target.component || because.name !== target.name);

/** Whether a check fails because of a finding that nobody has to act on at once, as of a container that the inventory misnames. */
const isNote = ({ because }: ExplainedCheckState): boolean =>
  because !== undefined && problemCatalog[because.problem].severity === 'info';

/** What a target answers itself: whatever else passes, it is not known to be well without. */
const ANSWERED: readonly CheckName[] = ['latest_block', 'http'];

/**
 * How a target is: the worst of its checks and of the problems that name it, also while one is suspected. What fails only because of
 * another target is affected, and a requested restart that is over does not count.
 */
export function standingOf(state: TargetState): TargetStanding {
  const { checks, facts, problem, suspected } = state;
  const failing = checks.filter((one) => one.verdict === 'fail' && !isOnlyRestarted(one, facts));
  const own = failing.find((check) => !isAffected(check, state) && !isNote(check));
  if (own !== undefined) return { standing: 'bad', word: 'fail', check: own };
  // What will fail does not fail yet.
  const isForecast = problem?.severity === 'critical' && FORECASTS.includes(problem.problem);
  if (problem !== undefined)
    return { standing: isForecast ? 'warn' : standingOfSeverity(problem.severity), word: 'problem' };
  const affected = failing.find((check) => isAffected(check, state));
  if (affected !== undefined) return { standing: 'warn', word: 'affected', check: affected };
  if (suspected !== undefined) return { standing: 'warn', word: 'checking' };
  const awaited = checks.find(({ check, verdict }) => verdict === 'unknown' && ANSWERED.includes(check));
  if (awaited !== undefined)
    return { standing: 'off', word: awaited.lastRun === undefined ? 'unknown' : 'starting', check: awaited };
  // What it has answered before its start, or its end, says nothing of what runs now.
  const { running, startedAt = 0 } = findContainer(facts.container) ?? {};
  const changedAt = Math.max(running ? startedAt : 0, facts.container?.lastExit?.at ?? 0);
  const isOld = checks.some(({ check, lastRun = changedAt }) => ANSWERED.includes(check) && lastRun < changedAt);
  if (running && isOld) return { standing: 'off', word: 'starting' };
  const of = (verdict: Verdict) => checks.find((check) => check.verdict === verdict);
  const degraded = failing.find(isNote) ?? of('degraded');
  if (degraded !== undefined) return { standing: 'warn', word: 'degraded', check: degraded };
  const passed = isOld ? undefined : of('pass');
  if (passed !== undefined) return { standing: 'ok', word: 'OK', check: passed };
  const unknown = of('unknown');
  if (unknown !== undefined) return { standing: 'off', word: 'unknown', check: unknown };
  return { standing: 'off', word: 'skipped' };
}
