import { createLineCutter } from '../lib/bytes.ts';
import type { KnownTarget, LogFacts, LogState } from '../model/facts.ts';
import type { LogHit } from '../model/log.ts';
import { type Component, DEFAULT_SETTINGS, type LogFile, type NodeTarget, type Target } from '../model/target.ts';
import { type CheckName, formatReason, type Verdict } from '../model/verdict.ts';
import { createLogReader } from '../watch/logs/match/create-log-reader.ts';
import { hasForm } from '../watch/logs/match/line-form.ts';
import { createPatternCounters } from '../watch/logs/match/pattern-counters.ts';
import { createLineTimeReader } from '../watch/logs/match/read-line-time.ts';
import { packs } from '../watch/logs/packs.ts';
import { checksFor } from '../watch/rules/checks.ts';
import { foldLogHit } from '../watch/rules/fold-logs.ts';
import { findWrapping } from './find-wrapping.ts';
import { readSavedLog } from './read-saved-log.ts';

/** The result of a saved log, as of the time of its last line. */
export interface SavedLog {
  readonly lines: number;
  /** Whether any of them is one that such a program prints. */
  readonly hasForm: boolean;
  /** Matches per pattern, with the times of the first and the last in Unix milliseconds; 0 if no line has a time. */
  readonly patterns: readonly {
    readonly name: string;
    readonly matches: number;
    readonly first: number;
    readonly last: number;
  }[];
  readonly checks: readonly { readonly check: CheckName; readonly verdict: Verdict; readonly reason: string }[];
}

const toTarget = (component: Component, name: string, file: string, p2p?: string): Target => {
  const logFiles: readonly LogFile[] = [{ path: file, timezone: 'UTC' }];
  const base = { subnet: 'saved', name, logFiles, patterns: [] };
  if (component === 'node')
    return {
      ...base,
      component,
      consoleExec: false,
      expectedPeers: 0,
      p2p,
    } as NodeTarget;
  return { ...base, component } as Target;
};

/** Drops faults that were over before the file ended: the program worked again after them. */
function dropRecovered(facts: LogFacts): LogFacts {
  const patterns = Object.entries(facts.patterns);
  const worked = Math.max(-1, ...patterns.flatMap(([, { means, order }]) => (means === 'progress' ? [order] : [])));
  const lasting = patterns.filter(([, { means, order }]) => (means !== 'error' && means !== 'fatal') || order > worked);
  const { relayer } = facts;
  const recovered = relayer?.forkAt !== undefined && (relayer.submittedAt ?? 0) > relayer.forkAt;
  return {
    ...facts,
    patterns: Object.fromEntries(lasting),
    ...(relayer && { relayer: recovered ? { ...relayer, forkAt: undefined } : relayer }),
  };
}

/** Without an inventory, the nodes of a bootnode are all that it has heard in the file. */
const toHeardNodes = (facts: LogFacts, file: string): readonly KnownTarget[] =>
  [...(facts.heard?.keys() ?? [])].map((address) => ({
    target: toTarget('node', `the node at port ${address.slice(address.lastIndexOf(':') + 1)}`, file, address),
    facts: {},
  }));

/** Reads a log as its program printed it and judges its component's checks. Rejects when `readSavedLog` does. */
export async function judgeSavedLog(component: Component, file: string): Promise<SavedLog> {
  const pack = packs[component];
  const counters = createPatternCounters(pack, []);
  const seen = new Map<string, { readonly matches: number; readonly first: number; readonly last: number }>();
  let state: LogState = {};
  let lines = 0;
  let isOfForm = false;
  let first: number | undefined;
  let last: number | undefined;

  const readTime = createLineTimeReader('UTC');
  const onHit = (bare: Omit<LogHit, 'counted'>) => {
    const hit = { ...bare, counted: true };
    counters.add(hit);
    const { matches = 0, first: begun = hit.at, last = hit.at } = seen.get(hit.pattern) ?? {};
    seen.set(hit.pattern, { matches: matches + 1, first: begun, last: Math.max(last, hit.at) });
    state = foldLogHit(component, state, hit);
  };
  const now = Date.now();
  const reader = createLogReader({ pack, own: [], timezone: 'UTC', now: () => now, onHit });
  const unwrap = await findWrapping(component, readSavedLog(file));
  const onLine = (text: string, start: number, end: number) => {
    lines++;
    const cut = text.slice(start, end);
    const line = unwrap === undefined ? cut : unwrap(cut);
    isOfForm ||= hasForm(component, line);
    const at = readTime(line, now);
    first ??= at;
    // A line without a time counts as printed with the line before it.
    last = Math.max(at ?? 0, last ?? 0);
    if (unwrap === undefined) reader.read(text, start, end, at ?? last);
    else reader.read(line, 0, line.length, at ?? last);
  };
  const cutter = createLineCutter();
  for await (const text of readSavedLog(file)) cutter.push(text, onLine);
  cutter.flush(onLine);
  reader.end();

  const facts = dropRecovered({
    ...state,
    sources: { file: { up: true, lines, since: first ?? 0 } },
    patterns: counters.read(),
  });
  const target = toTarget(component, component, file);
  const view = {
    target,
    facts: { logs: facts },
    subnet: component === 'bootnode' ? toHeardNodes(facts, file) : [{ target, facts: { logs: facts } }],
    settings: DEFAULT_SETTINGS,
    consensus: 'XDPoS',
    now: last ?? 0,
    // A file without any time says nothing of when its lines were printed.
    toWall: (at: number) => (first === undefined ? Number.NaN : at),
  };
  return {
    lines,
    // Each line of a relayer has a number before it; what other programs say beside their logger has no form.
    hasForm: isOfForm || (component !== 'relayer' && seen.size > 0),
    // All lines count here, also those that only follow from the one before.
    patterns: [...seen].map(([name, times]) => ({ name, ...times })),
    checks: checksFor(target)
      .filter(([, { kindOf }]) => kindOf(target) === 'logs')
      .map(([check, { judge }]) => {
        const judgement = judge(view);
        return { check, verdict: judgement.verdict, reason: formatReason(judgement) };
      }),
  };
}
