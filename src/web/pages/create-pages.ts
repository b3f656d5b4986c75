import type { FleetView } from '../../model/fleet-view.ts';
import type { History, RecentHistory, StepHistory } from '../../model/history.ts';
import type { Incidents } from '../../model/incident.ts';
import type { MatchingLine } from '../../model/last-lines.ts';
import { isStanding } from '../../model/problem.ts';
import type { RestartAnswer } from '../../model/restart-answer.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { parseRange } from '../../model/time-range.ts';
import type { CheckName } from '../../model/verdict.ts';
import type { LiveContent } from '../frame/frame.ts';
import { iconOf, tabTitle } from '../frame/glance.ts';
import type { Html } from '../frame/marks.ts';
import { alertList, alertPage } from './alert-pages.ts';
import { describeOwnState, type OwnState } from './banner.ts';
import { createIncidentPages, type IncidentPages } from './create-incident-pages.ts';
import { describeWhere, toElsewhereStates } from './elsewhere.ts';
import { kioskContent, kioskPage } from './kiosk-page.ts';
import { createLiveStreams } from './live-streams.ts';
import { toAddress } from './paths.ts';
import { badgeSvg, publicPage } from './public-page.ts';
import { createRecentIncidents } from './recent-incidents.ts';
import { MAX_IN_FULL, statusContent, statusPage } from './status-page.ts';
import { targetContent, targetPage } from './target-page.ts';
import type { OutsideAddresses } from './target-panels.ts';
import type { ListQuery } from './target-rows.ts';

/** What an address asks for: a target, one subnet, or all, and what of their lists; as a page or as a kiosk. */
export interface PageQuery extends ListQuery {
  readonly subnet?: string;
  readonly target?: string;
  /** How much time the charts show. */
  readonly range?: string;
  /** Present, with any value, when the page is for a screen on a wall. */
  readonly kiosk?: string;
}

/** The pages that show how things are now, and incidents. */
export interface Pages extends IncidentPages {
  readonly status: (query: PageQuery) => Promise<Html>;
  /** What anybody may see. */
  readonly everybody: () => Html;
  /** The badge of a subnet as SVG; undefined when the inventory has no such subnet. */
  readonly badge: (subnet: string) => string | undefined;
  /** Undefined when the inventory has no such target. */
  readonly target: (subnet: string, name: string, query: PageQuery) => Promise<Html | undefined>;
  /** Where a subnet is watched that is not watched here; undefined when no instance of the fleet has it. */
  readonly whereIs: (subnet: string) => string | undefined;
  readonly runbooks: (search?: string) => Html;
  /** The runbook of an alert, for the target that a link names. */
  readonly runbook: (
    alert: string,
    about: { readonly subnet?: string; readonly name?: string },
    /** The address under which whoever asks has reached subnetd. */
    origin: string,
  ) => ReturnType<typeof alertPage>;
  /** The stream that keeps a page as things are; undefined when there is nothing to follow, or too many follow. */
  readonly events: (query: PageQuery) => Response | undefined;
  /** Ends the streams. */
  readonly stop: () => void;
}

export interface PagesDeps {
  readonly own: () => OwnState;
  readonly snapshot: () => Snapshot;
  /** The fleet that this instance belongs to. */
  readonly fleet?: () => FleetView | undefined;
  readonly history: Pick<History, 'historyOf'> & RecentHistory & StepHistory;
  /** The last lines of a target's log that matched a pattern, without secrets. */
  readonly matchingLines: (target: Target) => readonly MatchingLine[];
  /** Whether a node may be restarted now; undefined for what is not a node. */
  readonly mayRestart: (subnet: string, node: string) => RestartAnswer | undefined;
  readonly outside: OutsideAddresses;
  /** Whether those who see the pages may ask for a probe. */
  readonly mayProbe: boolean;
  readonly incidents: Incidents;
  /** The address of subnetd for people, without a slash at the end. */
  readonly publicUrl?: string | undefined;
  readonly now: () => number;
  readonly toWall: (at: number) => number;
  readonly onBug: (error: unknown) => void;
}

const toTexts = ({ sections }: LiveContent): ReadonlyMap<string, string> =>
  new Map(sections.map((section) => [section.id, String(section.html)]));

/** Anybody may ask for the public page, as often as they like: it is made at most once in so long. */
const PUBLIC_EVERY_MS = 5_000;

/** Creates the pages. */
export function createPages(deps: PagesDeps): Pages {
  const { own, snapshot, history, incidents, publicUrl, now, toWall, onBug } = deps;
  const footer = () => ({ footer: describeOwnState(own(), toWall(now())) });
  const recent = createRecentIncidents(incidents, { now, onBug });
  const toTime = (range: string | undefined) => ({ range: parseRange(range), history, incidentsOf: recent.of });
  const statusInput = ({ subnet, search, show, sort, range }: PageQuery) => {
    const nowWall = toWall(now());
    return {
      snapshot: snapshot(),
      fleet: deps.fleet?.(),
      historyOf: (target: Parameters<History['historyOf']>[0]) => history.historyOf(target, nowWall),
      changesOf: (name: string) => history.changesOf(name, nowWall),
      isPastRead: history.isPastRead,
      incidentOf: incidents.idOf,
      time: toTime(range),
      range: parseRange(range),
      only: subnet,
      query: { search, show, sort },
      toWall,
      nowWall,
    };
  };
  const targetInput = (subnet: string, name: string, range: string | undefined) => {
    const nowWall = toWall(now());
    const state = snapshot().find((one) => one.subnet.name === subnet);
    const target = state?.targets.find((one) => one.target.name === name);
    if (state === undefined || target === undefined) return undefined;
    const one = target.target;
    return {
      state,
      target,
      toWall,
      nowWall,
      history: history.historyOf(one, nowWall),
      isPastRead: history.isPastRead(subnet),
      time: toTime(range),
      range: parseRange(range),
      checkHistoryOf: (check: CheckName) => history.checkHistoryOf(one, check, nowWall),
      lines: deps.matchingLines(one),
      restart: one.component === 'node' ? deps.mayRestart(subnet, name) : undefined,
      incidentOf: incidents.idOf,
    };
  };
  const contentOf = (query: PageQuery): LiveContent | undefined => {
    if (query.target === undefined)
      return (query.kiosk === undefined ? statusContent : kioskContent)(statusInput(query));
    const input = targetInput(query.subnet ?? '', query.target, query.range);
    return input && targetContent(input);
  };
  const streams = createLiveStreams({
    render: (page) => {
      const content = contentOf(Object.fromEntries(new URLSearchParams(page)));
      if (content === undefined) return undefined;
      const { title, glance } = content;
      const { startedAt } = own();
      return { title: tabTitle(title, glance.problems), icon: iconOf(glance), startedAt, sections: toTexts(content) };
    },
    now: () => toWall(now()),
    onBug,
  });
  const makePublic = () => {
    const nowWall = toWall(now());
    const elsewhere = toElsewhereStates(deps.fleet?.(), nowWall);
    return publicPage(snapshot(), (target) => history.historyOf(target, nowWall), nowWall, elsewhere);
  };
  let lastPublic: { readonly at: number; readonly html: Html } | undefined;
  return {
    ...createIncidentPages({
      incidents,
      snapshot,
      publicUrl,
      footer,
      startedAt: own().startedAt,
      now: () => toWall(now()),
    }),
    status: async (query) => {
      const shown = snapshot().filter(({ subnet: { name } }) => query.subnet === undefined || name === query.subnet);
      if (shown.length <= MAX_IN_FULL) await recent.read(shown.map(({ subnet: { name } }) => name));
      if (query.kiosk !== undefined) return kioskPage(statusInput(query), own().version);
      return statusPage(statusInput(query), footer());
    },
    everybody: () => {
      const at = now();
      if (lastPublic === undefined || at - lastPublic.at >= PUBLIC_EVERY_MS) lastPublic = { at, html: makePublic() };
      return lastPublic.html;
    },
    badge: (name) => {
      const isMeant = ({ subnet }: { readonly subnet: { readonly name: string } }) => subnet.name === name;
      const state = snapshot().find(isMeant) ?? toElsewhereStates(deps.fleet?.(), toWall(now())).find(isMeant);
      return state && badgeSvg(name, state.headline?.standing ?? 'off');
    },
    target: async (subnet, name, { range }) => {
      if (targetInput(subnet, name, range) === undefined) return undefined;
      await recent.read([subnet]);
      const input = targetInput(subnet, name, range);
      return input && targetPage(input, { ...footer(), outside: deps.outside, mayProbe: deps.mayProbe });
    },
    whereIs: (subnet) => {
      const found = deps.fleet?.()?.elsewhere.find(({ name }) => name === subnet);
      return found && describeWhere(found);
    },
    runbooks: (search) => {
      const firing = snapshot().flatMap(({ subnet, problems }) =>
        problems.filter(isStanding).map((problem) => ({ subnet: subnet.name, problem })),
      );
      return alertList(toWall(now()), firing, search);
    },
    runbook: (alert, { subnet, name }, origin) => {
      const moment = { toWall, nowWall: toWall(now()), ownUrl: publicUrl ?? origin };
      if (subnet === undefined) return alertPage(alert, moment);
      const state = snapshot().find((one) => one.subnet.name === subnet);
      const target = state?.targets.find((one) => one.target.name === name)?.target;
      const problems = (state?.problems ?? []).filter((one) => one.alert === alert && (!name || one.name === name));
      return alertPage(alert, moment, { subnet, target, problems, incidentOf: incidents.idOf, ...(name && { name }) });
    },
    events: ({ subnet, target, search, show, sort, range, kiosk }) =>
      streams.open(
        toAddress({ subnet, target, search, show, sort, range, ...(kiosk !== undefined && { kiosk: '1' }) }),
      ),
    stop: streams.stop,
  };
}
