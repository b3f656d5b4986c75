import type { SecurityAction, SecurityEvent } from '../model/security-event.ts';

/** The security log: each event is a line of the log at once, and soon a row of the audit trail. */
export interface SecurityLog {
  /** Adds an event. Never throws and never waits. */
  record(event: Omit<SecurityEvent, 'count'>): void;
  /** Writes the waiting events. */
  stop(): Promise<void>;
}

/** Its dependencies. */
export interface SecurityLogDeps {
  /** Stores events. It may reject, and is then called again with the same events. */
  readonly write: (events: readonly SecurityEvent[]) => Promise<void>;
  readonly log: (event: SecurityEvent) => void;
  /** How long equal events are counted before the count is logged. */
  readonly windowMs?: number;
  /** How many different events of an action are logged one by one within that time; the rest are counted. */
  readonly most?: number;
}

const WINDOW_MS = 60_000;
const MOST = 20;

/** How many events wait for the database; beyond that, the oldest are dropped. They are in the log. */
const MAX_WAITING = 1_000;

/** The events of one action within the window. */
interface Counted {
  readonly byKey: Map<string, { more: number; last: Omit<SecurityEvent, 'count'> }>;
  rest: number;
}

const keyOf = ({ subject, credential, ip, detail }: Omit<SecurityEvent, 'count'>): string =>
  JSON.stringify([subject?.resource, subject?.id, credential, ip, detail?.value]);

/**
 * A log that a flood cannot grow. The first event of each kind is logged at once; equal events are counted and logged
 * once a window. Each action has its own budget, so nobody hides a sign-in behind refusals.
 */
export function createSecurityLog(deps: SecurityLogDeps): SecurityLog {
  const { write, log, windowMs = WINDOW_MS, most = MOST } = deps;
  const actions = new Map<SecurityAction, Counted>();
  let waiting: SecurityEvent[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** At its end the waiting events are written, also those that failed before. */
  const openWindow = () => {
    if (timer !== undefined || stopped) return;
    timer = setTimeout(settle, windowMs);
    timer.unref();
  };
  const writeAll = async () => {
    while (waiting.length > 0) {
      // Events of the same turn are written together.
      await new Promise(setImmediate);
      const batch = waiting;
      waiting = [];
      try {
        await write(batch);
      } catch {
        waiting = [...batch, ...waiting].slice(-MAX_WAITING);
        openWindow();
        break;
      }
    }
    // In the turn of the last look at `waiting`, so that no event waits without a writer.
    writing = undefined;
  };
  const startWriting = () => {
    writing ??= writeAll();
  };
  const record = (event: SecurityEvent) => {
    log(event);
    waiting = [...waiting, event].slice(-MAX_WAITING);
    startWriting();
  };
  /** Ends the window: logs the counts. */
  const settle = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [action, { byKey, rest }] of actions) {
      for (const { more, last } of byKey.values()) if (more > 0) record({ ...last, count: more });
      const at = [...byKey.values()].at(-1)?.last.at ?? '';
      const nobody = { subject: undefined, owner: null, credential: 'several', ip: null, requestId: null };
      if (rest > 0) record({ at, action, ...nobody, count: rest });
    }
    actions.clear();
    if (waiting.length > 0) startWriting();
  };

  return {
    record: (event) => {
      openWindow();
      const counted = actions.get(event.action) ?? { byKey: new Map(), rest: 0 };
      actions.set(event.action, counted);
      const key = keyOf(event);
      const known = counted.byKey.get(key);
      if (known !== undefined) {
        known.more += 1;
        known.last = event;
      } else if (counted.byKey.size >= most) counted.rest += 1;
      else {
        counted.byKey.set(key, { more: 0, last: event });
        record({ ...event, count: 1 });
      }
    },
    stop: async () => {
      stopped = true;
      settle();
      await writing;
      // What a failure left is tried once more.
      if (waiting.length > 0) startWriting();
      await writing;
    },
  };
}
