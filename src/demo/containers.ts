import { createHash } from 'node:crypto';
import { type ContainerLog, createContainerLog } from './container-log.ts';

/** The compose project of the demo's containers. */
export const DEMO_PROJECT = 'demo';

/** How a simulated container is made. */
export interface ContainerPlan {
  readonly service: string;
  readonly env: readonly string[];
  readonly image: string;
  readonly args: readonly string[];
  /** The exit code that `docker stop` leaves. */
  readonly stoppedWith: number;
  readonly ip: string;
  readonly memoryLimitBytes: number;
}

/** The current state of a simulated container; times are Unix milliseconds. */
export interface SimulatedContainer extends ContainerPlan {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly status: 'running' | 'restarting' | 'exited';
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly restartCount: number;
  readonly log: ContainerLog;
}

/** What the engine reports of a container; `at` in Unix milliseconds. */
export interface ContainerEvent {
  readonly action: 'start' | 'oom' | 'kill' | 'die' | 'stop';
  readonly container: SimulatedContainer;
  readonly at: number;
}

/** The containers of a simulated subnet, by their service. */
export interface Containers {
  all(): readonly SimulatedContainer[];
  /** Throws a `RangeError` for a service that has none. */
  get(service: string): SimulatedContainer;
  /** Adds to the log of a running container; the output of a stopped one is lost. */
  print(service: string, lines: readonly string[], at?: number): void;
  /** Changes what it was created with. */
  setEnv(service: string, env: readonly string[]): void;
  /** `docker stop`; the container then stays stopped. */
  stop(service: string, exitCode: number): void;
  /** It ends by itself, and Docker waits to start it again (`restart: always`). */
  die(service: string, exitCode: number, oomKilled: boolean): void;
  start(service: string): void;
  /** A new container that begins to run now. */
  add(plan: ContainerPlan): void;
  /** As `docker rm -f`. */
  remove(service: string): void;
  /** As `docker compose up` after the container was removed, or after its settings have changed. */
  recreate(service: string, project: string): void;
  events(since: number): readonly ContainerEvent[];
  /** Reports each new event until the returned function is called. */
  follow(onEvent: (event: ContainerEvent) => void): () => void;
}

/** A container that runs at the start has done so for this long. */
const AGE_MS = 3_600_000;
/** What the engine replays at most (moby, `eventsLimit`). */
const MAX_EVENTS = 256;

const create = (plan: ContainerPlan, createdAt: number, project: string, made: number): SimulatedContainer => ({
  ...plan,
  id: createHash('sha256').update(`subnetd demo container ${plan.service} ${made}`).digest('hex'),
  project,
  name: `${project}-${plan.service}-1`,
  status: 'running',
  createdAt,
  startedAt: createdAt,
  exitCode: 0,
  oomKilled: false,
  restartCount: 0,
  log: createContainerLog(),
});

/** Containers that have all run for an hour. `now` gives Unix milliseconds. */
export function createContainers(plans: readonly ContainerPlan[], now: () => number): Containers {
  const containers = new Map(plans.map((plan) => [plan.service, create(plan, now() - AGE_MS, DEMO_PROJECT, 0)]));
  /** How many more were made later. */
  let made = 0;
  const events: ContainerEvent[] = [];
  const followers = new Set<(event: ContainerEvent) => void>();

  const get = (service: string): SimulatedContainer => {
    const container = containers.get(service);
    if (container === undefined) throw new RangeError(`The simulated subnet has no container of ${service}.`);
    return container;
  };
  const change = (
    service: string,
    changes: Partial<SimulatedContainer>,
    actions: readonly ContainerEvent['action'][],
  ): void => {
    const container = { ...get(service), ...changes };
    containers.set(service, container);
    for (const action of actions) {
      const event = { action, container, at: now() };
      events.push(event);
      for (const follower of followers) follower(event);
    }
    events.splice(0, events.length - MAX_EVENTS);
  };
  const add = (plan: ContainerPlan, project = DEMO_PROJECT): void => {
    made += 1;
    containers.set(plan.service, create(plan, now(), project, made));
    change(plan.service, {}, ['start']);
  };
  const remove = (service: string): void => {
    change(service, { status: 'exited', finishedAt: now(), exitCode: 137 }, ['kill', 'die']);
    containers.delete(service);
  };

  return {
    all: () => [...containers.values()],
    get,
    print: (service, lines, at = now()) => {
      const { status, log } = get(service);
      if (status === 'running') log.add(lines, at);
    },
    setEnv: (service, env) => change(service, { env }, []),
    stop: (service, exitCode) =>
      change(service, { status: 'exited', finishedAt: now(), exitCode }, ['kill', 'die', 'stop']),
    die: (service, exitCode, oomKilled) =>
      change(
        service,
        { status: 'restarting', finishedAt: now(), exitCode, oomKilled },
        oomKilled ? ['oom', 'die'] : ['die'],
      ),
    start: (service) => {
      const { status, restartCount } = get(service);
      // Docker counts only the starts that its restart policy makes.
      const restarts = status === 'restarting' ? restartCount + 1 : restartCount;
      change(service, { status: 'running', startedAt: now(), oomKilled: false, restartCount: restarts }, ['start']);
    },
    add,
    remove,
    recreate: (service, project) => {
      const { finishedAt, ...plan } = get(service);
      remove(service);
      add(plan, project);
    },
    events: (since) => events.filter(({ at }) => at >= since),
    follow: (onEvent) => {
      followers.add(onEvent);
      return () => followers.delete(onEvent);
    },
  };
}
