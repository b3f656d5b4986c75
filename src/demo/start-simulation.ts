import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContainers } from './containers.ts';
import type { DemoClient } from './demo-client.ts';
import { type DemoServers, toDemoInventory } from './demo-inventory.ts';
import { createEngineHandler } from './docker-engine.ts';
import { type Effects, mergeEffects, SERVICES, type ServiceName } from './effects.ts';
import { demoNodeNames, effectsOf, type FaultName, findFaultErrors } from './faults.ts';
import { type Listener, openListener } from './listener.ts';
import { createNodeHandler } from './node-server.ts';
import { createParentChain } from './parent-chain.ts';
import { printSubnetLogs, type SubnetLogs } from './print-subnet-logs.ts';
import { killAllPhase, killPhase, restartingAt, restartPhase } from './rolling-restart.ts';
import { planContainers, planNode, runContainers, stopContainer } from './run-containers.ts';
import { createServiceHandler, frontendService, relayerService, type Service, statsService } from './services.ts';
import { boast, createSubnet } from './simulated-subnet.ts';

/** What a simulation is started with. */
export interface SimulationOptions {
  readonly nodes: number;
  readonly faults: readonly FaultName[];
  /** What each node runs; XDC-Subnet when absent. */
  readonly clients?: readonly DemoClient[];
  /** Unix milliseconds; the system's clock when absent. */
  readonly now?: () => number;
  /** What the inventory says under `checks`, as an object or as YAML; its defaults when absent. */
  readonly checks?: string | Readonly<Record<string, unknown>>;
  /** The height at which it begins, if the clients are all of XDC-Subnet; `START_HEIGHT` when absent. */
  readonly startHeight?: number;
  /** How long the nodes wait for a masternode that makes no block, in milliseconds; ten seconds when absent. */
  readonly roundTimeoutMs?: number;
  /** The Chromium that visits the page of the frontend; nobody visits it when absent. */
  readonly browser?: string;
}

/** A subnet that speaks on real sockets and can be broken. */
export interface Simulation extends DemoServers {
  /** What the clock of the machine of subnetd shows, in Unix milliseconds. */
  monitorTime(): number;
  /** The height of the chain at a time, now or past, in Unix milliseconds. */
  heightAt(ms: number): number;
  /** The inventory for it, as YAML. */
  inventory(): string;
  /** Lets exactly these faults be there from now on. Throws a `RangeError` when there are too few nodes for one. */
  setFaults(faults: readonly FaultName[]): Promise<void>;
  /** Restarts a node: its connections break, and it has no committed block until 4 more have come. */
  restartNode(name: string, options?: { readonly fallBy?: number }): Promise<void>;
  /** Stops listening everywhere and breaks every connection. */
  stop(): Promise<void>;
}

/** Runs one thing after the other, each to its end, however they are called. */
const createQueue = (): ((work: () => Promise<void>) => Promise<void>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};

const ENGINE = 'docker';
const PARENT = 'parent';

/** The clock of subnetd is set by so much, and this long after the fault came: a subnetd that has just started saw no other time. */
const CLOCK_STEP_MS = 120_000;
const CLOCK_STEP_AFTER_MS = 10_000;

/** The network of subnetd is cut no earlier than this after the start, so that subnetd has met the nodes before. */
const CUT_AFTER_MS = 15_000;

/** How often a rolling restart looks whose turn it is. */
const TURN_MS = 250;

const SERVICE_OF: Readonly<Record<ServiceName, Service>> = {
  relayer: relayerService,
  stats: statsService,
  frontend: frontendService,
};

/** What a handler cannot parse is a bad request, and does not end the demo. */
const answerOrRefuse: (handler: RequestListener, ...exchange: Parameters<RequestListener>) => void = (
  handler,
  request,
  response,
) => {
  try {
    handler(request, response);
  } catch {
    if (!response.headersSent) response.writeHead(400);
    response.end();
  }
};

const refuseImpossible = (faults: readonly FaultName[], { nodes, clients }: SimulationOptions): void => {
  const errors = findFaultErrors(faults, nodes, clients);
  if (errors.length > 0) throw new RangeError(errors.join(' '));
};

/**
 * Starts a simulated subnet on free ports. Throws a `RangeError` for fewer than one node, and for a fault that needs
 * more nodes; `findFaultErrors` checks that beforehand.
 */
export const startSimulation = async (options: SimulationOptions): Promise<Simulation> => {
  const { faults, clients = [], now = Date.now, checks, startHeight, roundTimeoutMs, browser } = options;
  if (options.nodes < 1) throw new RangeError('A simulated subnet needs at least 1 node.');
  refuseImpossible(faults, options);

  const names = demoNodeNames(options.nodes);
  let wanted = effectsOf(faults);
  const startedAt = now();
  let wantedSince = startedAt;
  /** When the engine was asked to restart a container. */
  const restartedAt = new Map<string, number>();
  type Phase = 'down' | 'joining' | 'killed';
  /** Who is down for a restart or after a kill, and who runs again and takes no part yet. */
  const findRestarts = (): readonly (readonly [name: string, phase: Phase])[] => {
    const inTurn = wanted.rolling ? restartingAt(names, wantedSince, now()) : undefined;
    const asked = [...restartedAt].flatMap(([name, at]) => {
      const phase = restartPhase(at, now());
      return phase === undefined ? [] : [[name, phase] as const];
    });
    const phase = killPhase(wantedSince, now());
    const killed = phase === undefined ? [] : wanted.killed.map((name) => [name, phase] as const);
    const allPhase = wanted.allKilled ? killAllPhase(wantedSince, now()) : undefined;
    const all = allPhase === undefined ? [] : names.map((name) => [name, allPhase] as const);
    return [...(inTurn === undefined ? [] : [[inTurn, 'down'] as const]), ...killed, ...all, ...asked];
  };
  let restarts = findRestarts();
  const effectsOfRestart = (name: string, phase: Phase): Partial<Effects> => {
    const isNode = names.includes(name);
    if (phase === 'joining') return isNode ? { frozen: [name], isolated: [name] } : {};
    return {
      fates: { [name]: phase === 'killed' ? 'killed' : 'stopped' },
      ...(isNode ? { down: [name] } : { closed: SERVICES.filter((service) => service === name) }),
    };
  };
  const isCut = (): boolean => wanted.unreachable && now() - startedAt >= CUT_AFTER_MS;
  /** What is broken now: a rolling restart breaks one node after the other. */
  const breakNow = (): Effects => {
    restarts = findRestarts();
    const broken = { ...wanted, unreachable: isCut() };
    if (restarts.length === 0) return broken;
    return mergeEffects([broken, ...restarts.map(([name, phase]) => effectsOfRestart(name, phase))]);
  };
  let current = breakNow();
  const subnet = createSubnet(names, current, now, clients, roundTimeoutMs, startHeight);
  const serially = createQueue();
  const listeners = new Map<string, Listener>();
  const closeAll = async (): Promise<void> => {
    await Promise.all([...listeners.values()].map((listener) => listener.close()));
  };
  const listenerOf = (name: string): Listener => {
    const listener = listeners.get(name);
    if (listener === undefined) throw new RangeError(`The simulated subnet has no ${name}.`);
    return listener;
  };

  const identities = names.map((name) => subnet.node(name).identity);
  const containers = createContainers(planContainers(identities, current.logLevelLow ? 2 : 4), now);
  const parent = createParentChain({
    hashOf: subnet.chain.hashOf,
    now,
    effects: () => current,
    since: () => wantedSince,
    packetsReceived: subnet.packetsReceived,
  });
  let stopped = false;
  const openAndClose = async (): Promise<void> => {
    if (stopped) return;
    const { down, rpcMoved, misaddressed, closed } = current;
    const silent: readonly string[] = [...down, ...rpcMoved, ...(misaddressed ? names : []), ...closed];
    await Promise.all(
      [...listeners].map(([name, listener]) => (silent.includes(name) ? listener.close() : listener.open())),
    );
  };

  const change = async (): Promise<void> => {
    const before = current;
    current = breakNow();
    subnet.apply(current);
    await openAndClose();
    // What a node serves changes only when it is restarted.
    if (current.adminHidden !== before.adminHidden) for (const name of names) listenerOf(name).breakConnections();
    // The limit is raised by a new container.
    for (const name of before.outOfFiles) if (!current.outOfFiles.includes(name)) listenerOf(name).breakConnections();
    if (current.unreachable !== before.unreachable)
      for (const listener of listeners.values()) listener.breakConnections();
  };
  const restart = async (service: string): Promise<string | undefined> => {
    if (wanted.fates[service] !== undefined) return 'a fault of the demo keeps this container as it is';
    const started = Promise.withResolvers<void>();
    const leave = containers.follow(({ action, container }) => {
      if (action === 'start' && container.service === service) started.resolve();
    });
    restartedAt.set(service, now());
    const container = containers.get(service);
    if (container.status !== 'exited') stopContainer(containers, logs, container, now());
    await serially(change);
    await started.promise;
    leave();
    return undefined;
  };
  const listenAs = async (name: string, handler: RequestListener): Promise<void> => {
    const reachable: RequestListener = (request, response) => {
      if (current.unreachable || current.outOfFiles.includes(name)) request.resume();
      else answerOrRefuse(handler, request, response);
    };
    listeners.set(name, await openListener('127.0.0.1', reachable));
  };

  const folder = mkdtempSync(join(tmpdir(), 'subnetd-logs-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  let logs: SubnetLogs;
  let stopContainers: () => void;
  try {
    for (const name of names) {
      const view = () => (current.boasting.includes(name) ? boast(subnet.node(name)) : subnet.node(name));
      await listenAs(name, createNodeHandler(view));
    }
    for (const service of SERVICES)
      await listenAs(
        service,
        createServiceHandler(SERVICE_OF[service], subnet, () => current),
      );
    await listenAs(
      ENGINE,
      createEngineHandler(containers, { isRefused: (service) => current.unreadable.includes(service), restart }),
    );
    await listenAs(PARENT, parent.handler);
    await openAndClose();
    logs = printSubnetLogs(folder, subnet, containers, () => current, parent);
    stopContainers = runContainers(containers, logs, () => current, now, planNode(subnet.unlisted, 4));
  } catch (error) {
    removeFolder();
    await closeAll();
    throw error;
  }

  const turns = setInterval(() => {
    if (isCut() !== current.unreachable || findRestarts().join() !== restarts.join()) void serially(change);
  }, TURN_MS);
  const addresses = {
    nodes: names.map((name) => {
      const file = logs.logFileOf(name);
      return { name, rpc: listenerOf(name).url, ...(file !== undefined && { logFiles: [file] }) };
    }),
    statsFiles: logs.statsFiles,
    relayer: listenerOf('relayer').url,
    stats: listenerOf('stats').url,
    frontend: listenerOf('frontend').url,
    parent: listenerOf(PARENT).url,
    docker: listenerOf(ENGINE).url,
    browser,
  };

  return {
    ...addresses,
    monitorTime: () => now() + (wanted.clockStepped && now() - wantedSince >= CLOCK_STEP_AFTER_MS ? CLOCK_STEP_MS : 0),
    heightAt: subnet.chain.heightAt,
    inventory: () => toDemoInventory(addresses, checks),
    setFaults: async (next) => {
      refuseImpossible(next, options);
      return serially(async () => {
        wanted = effectsOf(next);
        wantedSince = now();
        await change();
      });
    },
    restartNode: (name, { fallBy = 0 } = {}) =>
      serially(async () => {
        subnet.restart(name, fallBy);
        listenerOf(name).breakConnections();
      }),
    stop: () => {
      stopped = true;
      clearInterval(turns);
      stopContainers();
      removeFolder();
      return serially(closeAll);
    },
  };
};
