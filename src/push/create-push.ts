import { convertIncidents } from '../incidents/convert-incidents.ts';
import { findDue, type Told } from '../incidents/find-due.ts';
import { foldIncidents, type Transition } from '../incidents/fold-incidents.ts';
import { mergeIncidents } from '../incidents/merge-incidents.ts';
import type { Alertmanagers } from '../model/alertmanager.ts';
import type { Clock } from '../model/clock.ts';
import type { Finding, IncidentStore, Incidents } from '../model/incident.ts';
import { createClient } from './create-client.ts';
import { type AlertCounts, createSender, type Sender } from './create-sender.ts';
import { toAlert } from './to-alert.ts';

/** Judges the alerts again and again, and tells every Alertmanager. */
export interface Push {
  /** Tells these from now on, and no others. */
  use(alertmanagers: Alertmanagers): void;
  stop(): Promise<void>;
}

/** What a push is made of. */
export interface PushOptions {
  readonly clock: Clock;
  /** What is found now, of every alert of every thing that is watched, beside those that are open. */
  readonly judge: (now: number, open: Incidents) => readonly Finding[];
  /** Rejects while the database is away: then what fires is kept in memory alone. */
  readonly store: () => Promise<IncidentStore>;
  readonly counts: AlertCounts;
  readonly generatorUrl?: string;
  readonly judgeEveryMs?: number;
  readonly resendMs?: number;
  readonly onTransition: (transition: Transition) => void;
  readonly onTrouble: (why: string) => void;
  readonly onFine: (address: string) => void;
  /** Something in the push itself broke. */
  readonly onBug: (error: unknown) => void;
}

const JUDGE_EVERY_MS = 5_000;
const RESEND_MS = 60_000;

/** An alert outlives two resends that were lost, as with Prometheus. */
const LEASE_RESENDS = 4;

/** How long alerts that wait may still go out at the end. */
const DRAIN_MS = 2_000;

/** A push without Alertmanagers. */
export function createPush(options: PushOptions): Push {
  const { clock, judge, counts, generatorUrl, judgeEveryMs = JUDGE_EVERY_MS, resendMs = RESEND_MS } = options;
  const { now, toWall } = clock;
  let senders: readonly Sender[] = [];
  let incidents: Incidents = new Map();
  let told: Told = new Map();

  const tell = (time: number) => {
    // An Alertmanager ends by the wall clock what it is not told again, whether we have run or not.
    const at = toWall(time);
    const due = findDue(incidents, told, at, resendMs);
    const stillThere = [...told].filter(([key]) => incidents.has(key));
    told = new Map([...stillThere, ...[...due].map(([key, { phase }]) => [key, { at, phase }] as const)]);
    const alerts = new Map(
      [...due].map(([key, incident]) => [key, toAlert(incident, time, LEASE_RESENDS * resendMs, toWall, generatorUrl)]),
    );
    for (const sender of senders) sender.offer(alerts);
  };

  /** What the database holds, in wall time; undefined until it has been read. */
  let saved: Incidents | undefined;
  const save = async () => {
    try {
      const store = await options.store();
      if (saved === undefined) {
        saved = mergeIncidents(new Map(), await store.load());
        incidents = mergeIncidents(incidents, [...convertIncidents(saved, clock.fromWall).values()]);
      }
      const current = convertIncidents(incidents, toWall);
      const before = saved;
      const changed = [...current].filter(([key, { phase, activeAt }]) => {
        const old = before.get(key);
        return old?.phase !== phase || old.activeAt !== activeAt;
      });
      const gone = [...before.keys()].filter((key) => !current.has(key));
      if (changed.length + gone.length > 0) await store.save(new Map(changed), gone);
      saved = current;
    } catch {
      // The link of the database says that it is away; it is tried again with the next look.
    }
  };
  let saving: Promise<void> | undefined;
  const saveSoon = () => {
    saving ??= save().finally(() => {
      saving = undefined;
    });
  };

  const look = () => {
    const time = now();
    try {
      const folded = foldIncidents(incidents, judge(time, incidents), time);
      incidents = folded.incidents;
      folded.transitions.forEach(options.onTransition);
    } catch (error) {
      options.onBug(error);
    }
    tell(time);
    saveSoon();
  };
  const timer = setInterval(look, judgeEveryMs);
  look();

  return {
    use: ({ urls, ...login }) => {
      const before = senders;
      senders = urls.map((url) => {
        const client = createClient(url, login);
        const onFine = () => options.onFine(client.address);
        return createSender({ client, counts, onTrouble: options.onTrouble, onFine });
      });
      for (const sender of before) void sender.stop(0);
      told = new Map();
      tell(now());
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all([...senders.map((sender) => sender.stop(DRAIN_MS)), saving]);
      await save();
    },
  };
}
