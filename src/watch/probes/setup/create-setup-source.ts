import { setTimeout as wait } from 'node:timers/promises';
import type { EngineSetup, SetupObservation, SetupResult, TargetSetup } from '../../../model/setup.ts';
import type { SubnetObservation, SubnetProber } from '../../../model/subnet-facts.ts';
import { engineOf, type Subnet, type Target, targetKey } from '../../../model/target.ts';
import { toPhaseMs } from '../chain-question.ts';
import type { SetupTools } from './setup-tools.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Each probe reads only what is due: what is old, could not be read before, or has changed. */
const EVERY_MS = 5 * MINUTE;

/** What is to be read again must be due at the next probe, which may begin a moment early. */
const AGAIN_MS = EVERY_MS - 1_000;

/** While a folder differs from what runs, as somebody may be about to mend it. */
const DRIFT_AGAIN_MS = 15_000;

/** What has just started is not asked before: a moment less than after a start is probed. */
const STARTS_WITHIN_MS = 29_900;

/** After the first rounds. */
const FIRST_AFTER_MS = 5_000;

/** As many targets of a subnet are read at the same time, each over two connections. */
const READ_AT_ONCE = 8;

/** Where connections are too few to be kept: what reads is not among those that wait for one. */
export const READ_AT_ONCE_OF_MANY = 1;

/** For how long what was read counts: an hour and up to a half, by the target, so that thousands are not due together. */
const validMs = (target: Target): number => HOUR + (toPhaseMs(targetKey(target)) / MINUTE) * (HOUR / 2);

/** The engines of the containers of a subnet, each with its compose projects. */
function findEngines({ targets }: Subnet): ReadonlyMap<string, readonly string[]> {
  const engines = new Map<string, Set<string>>();
  for (const { container } of targets) {
    if (container === undefined) continue;
    const projects = engines.get(engineOf(container)) ?? new Set();
    if ('project' in container) projects.add(container.project);
    engines.set(engineOf(container), projects);
  }
  return new Map([...engines].map(([name, projects]) => [name, [...projects]]));
}

/** Whether the folder of a project differs from what runs. */
const hasDrift = (engine: SetupResult<EngineSetup>): boolean =>
  engine.ok && engine.value.projects.some(({ drift }) => drift?.ok === true && drift.value !== undefined);

type Source = Pick<SubnetProber, 'everyMs' | 'firstAfterMs' | 'isOutdatedBy' | 'isProjectOutdated'> & {
  readonly probe: (signal: AbortSignal) => Promise<SubnetObservation<'setup'>>;
};

/** Reads how the targets of a subnet are set up, each about once an hour. */
export function createSetupSource(subnet: Subnet, tools: SetupTools): Source {
  const { now, known, takeTurn, keepsConnections, namedContainers } = tools;
  const projectsOf = findEngines(subnet);
  let engines: { readonly read: ReadonlyMap<string, SetupResult<EngineSetup>>; readonly until: number } | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;

  const isDue = (target: Target): boolean => (known.get(target)?.until ?? startedAt + STARTS_WITHIN_MS) <= now();

  const readDue = async (signal: AbortSignal) => {
    const due = subnet.targets.filter(isDue);
    if (due.length === 0) return;
    const begun = now();
    const { isLasting, readTarget } = await import('./read-target.ts');
    const waiting = due.values();
    const work = async () => {
      for (const target of waiting) {
        const waitMs = takeTurn();
        if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => {});
        const setup = await readTarget(target, tools, signal);
        // What was broken off says nothing.
        if (signal.aborted) return;
        const isKept = isLasting(setup, known.get(target)?.setup);
        known.set(target, { setup, until: begun + (isKept ? validMs(target) : AGAIN_MS) });
      }
    };
    await Promise.all(Array.from({ length: keepsConnections() ? READ_AT_ONCE : READ_AT_ONCE_OF_MANY }, work));
  };

  const readEngines = async (signal: AbortSignal) => {
    if (engines !== undefined && engines.until > now()) return engines.read;
    const { readEngine } = await import('./read-target.ts');
    const read = new Map<string, SetupResult<EngineSetup>>();
    for (const [name, projects] of projectsOf) {
      read.set(name, await readEngine(name, projects, subnet.targets, tools, signal));
      // A new inventory may have taken the others away.
      if (signal.aborted) return read;
    }
    const areWhole = [...read.values()].every(({ ok }) => ok);
    const isDrifting = read.values().some(hasDrift);
    const validFor = isDrifting ? DRIFT_AGAIN_MS - 1_000 : areWhole ? HOUR : EVERY_MS;
    // What has just started is compared as soon as it is read.
    engines = { read, until: subnet.targets.every((target) => known.has(target)) ? now() + validFor : now() };
    return read;
  };

  return {
    everyMs: EVERY_MS,
    firstAfterMs: FIRST_AFTER_MS,
    isOutdatedBy: (target, containerId) => {
      const container = known.get(target)?.setup.container;
      if (container?.ok && container.value.id === containerId) return false;
      known.delete(target);
      engines = undefined;
      // Others may start with it, and are asked with it.
      if (startedAt + STARTS_WITHIN_MS <= now()) startedAt = now();
      return true;
    },
    isProjectOutdated: (engine, project) => {
      const isListed = project !== undefined && projectsOf.get(engine)?.includes(project) === true;
      if (isListed) engines = undefined;
      return isListed;
    },
    probe: async (signal) => {
      await readDue(signal);
      const read = signal.aborted ? new Map<string, SetupResult<EngineSetup>>() : await readEngines(signal);
      const targets = subnet.targets.flatMap((target): readonly (readonly [string, TargetSetup])[] => {
        const setup = known.get(target)?.setup;
        return setup === undefined ? [] : [[targetKey(target), setup]];
      });
      const monitor = signal.aborted ? undefined : await tools.readMonitor?.();
      const seen: SetupObservation = {
        targets: new Map(targets),
        engines: read,
        named: namedContainers(),
        ...(monitor && { monitor }),
      };
      return { kind: 'setup', seen, ...(read.values().some(hasDrift) && { againMs: DRIFT_AGAIN_MS }) };
    },
  };
}
