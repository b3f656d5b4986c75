import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMIT_DISTANCE } from './chain.ts';
import type { Containers } from './containers.ts';
import { type Effects, NO_EFFECTS } from './effects.ts';
import {
  bootnodeLine,
  frontendBuildLines,
  frontendErrorLine,
  frontendStartLines,
  relayerStartLines,
  statsBlockLine,
  statsHistoryLine,
  statsStartLines,
  statsStdoutLines,
} from './log-lines.ts';
import type { Printed } from './node-shape.ts';
import { shapeOf } from './node-shapes.ts';
import type { SimulatedParent } from './parent-chain.ts';
import { createRelayerLog } from './print-relayer-log.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** What the programs of a simulated subnet print; times are Unix milliseconds. */
export interface SubnetLogs {
  /** The debug files of the stats server, as a glob: it begins a new one each day. */
  readonly statsFiles: string;
  /** The file that a node writes beside its console, if it does. */
  logFileOf(node: string): string | undefined;
  /** Prints what has come until now. */
  tick(): void;
  /** Prints what a program prints when it starts. */
  printStart(service: string, at: number): void;
  /** Prints what a program prints when it is stopped. */
  printStop(service: string, at: number): void;
  /** Prints the end of a node that cannot start. */
  printFatal(node: string, why: 'ipc-path-too-long' | 'read-only', at: number): void;
}

const PING_EVERY_MS = 2_000;
const REPEAT_BLOCK_MS = 15_000;
const ERROR_EVERY_MS = 5_000;

/** How long after its start the stats server has the nodes. */
const CONNECTING_MS = 1_000;

/** How far a wrong clock is behind. */
const BEHIND_MS = 90_000;

/** More blocks at once than this are not printed one by one, as after a clock that jumped. */
const MAX_BLOCKS = 50;

/** How much of the time before the demo the logs cover, printed as if it had passed in these steps. */
const PAST_MS = 90_000;
const PAST_STEP_MS = 500;

/** Prints to the containers, and into `folder` what the stats server writes; `effects` is what is broken now. */
export function printSubnetLogs(
  folder: string,
  subnet: SimulatedSubnet,
  containers: Containers,
  effects: () => Effects,
  parent: Pick<SimulatedParent, 'submit'>,
): SubnetLogs {
  const { names, chain, now } = subnet;
  const { print } = containers;
  const begun = now();
  const past = begun - PAST_MS;
  const debug = join(folder, 'stats-service', 'logs', 'debug');
  mkdirSync(debug, { recursive: true });
  let hasStarted = false;
  const append = (file: string, lines: readonly string[]) => {
    try {
      if (lines.length > 0) appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
    } catch (error) {
      // A disk that is full later costs a program its lines, and does not end the demo.
      if (!hasStarted) throw error;
    }
  };
  const writeDebug = (lines: readonly string[]) =>
    append(join(debug, `${new Date(now()).toISOString().slice(0, 10)}.log`), lines);

  const identityOf = (name: string) => subnet.node(name).identity;
  const logFileOf = (name: string): string | undefined => {
    const { logFile } = shapeOf(identityOf(name));
    return logFile && join(folder, `xdcchain${names.indexOf(name) + 1}`, logFile);
  };
  for (const name of names) {
    const file = logFileOf(name);
    if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
  }
  /** Before the demo, nothing was stopped: the containers ran from their start on. */
  const effectsAt = (at: number): Effects =>
    at < begun ? { ...effects(), down: NO_EFFECTS.down, closed: NO_EFFECTS.closed } : effects();

  /** Prints to the console of a node that runs, and into its file. */
  const printNode = (name: string, { console, file = [] }: Printed, at: number) => {
    const path = logFileOf(name);
    if (path !== undefined && containers.get(name).status === 'running') append(path, file);
    print(name, console, at);
  };

  const firstHeads = new Map(names.map((name) => [name, subnet.node(name).head]));
  /** Before the demo, a node had each block at the time of that. One of another chain has none. */
  const headAt = (name: string, at: number): number => {
    if (at >= begun) return subnet.node(name).head;
    const head = firstHeads.get(name) ?? 0;
    return effects().foreign.includes(name) ? head : head - (chain.heightAt(begun) - chain.heightAt(at));
  };

  const isQuiet = () => effects().logLevelLow;
  const levelNow = () => (isQuiet() ? 2 : 4);
  let quiet = isQuiet();
  const printed = new Map(names.map((name) => [name, headAt(name, past)]));
  const printNodeStart = (name: string, at: number) => {
    const { identity, chain: follows } = subnet.node(name);
    const start = { ms: clockOf(name, at), head: headAt(name, at), genesis: follows.hashOf(0) };
    printNode(name, shapeOf(identity).printStart(identity, levelNow(), start), at);
  };
  const printNodes = (at: number) => {
    const recreated = quiet !== isQuiet();
    quiet = isQuiet();
    for (const name of names) {
      const head = headAt(name, at);
      if (recreated) {
        const identity = identityOf(name);
        containers.setEnv(name, shapeOf(identity).env(identity, levelNow()));
        printNodeStart(name, at);
      }
      const from = Math.max(printed.get(name) ?? head, head - MAX_BLOCKS);
      printed.set(name, head);
      const { identity, chain: follows } = subnet.node(name);
      const { printOutOfFiles } = shapeOf(identity);
      if (printOutOfFiles && effects().outOfFiles.includes(name))
        printNode(name, printOutOfFiles(clockOf(name, at)), at);
      if (quiet && shapeOf(identity).quietAtLowLevel) continue;
      for (let number = from + 1; number <= head; number++) {
        const committed = effects().finalityStalled ? undefined : follows.block(Math.max(number - COMMIT_DISTANCE, 0));
        const { masternodes } = follows.officeAt(number);
        const block = { ...follows.block(number), ms: clockOf(name, at), committed, masternodes };
        printNode(name, shapeOf(identity).printBlock(identity, block), at);
      }
    }
  };

  /** The time of a node's own clock. */
  const clockOf = (name: string, at: number): number => at - (effects().skewed.includes(name) ? BEHIND_MS : 0);

  let pingedAt = 0;
  const printBootnode = (at: number) => {
    if (at - pingedAt < PING_EVERY_MS) return;
    pingedAt = at;
    const { down, unheard, unlisted } = effectsAt(at);
    const heard = names.filter((name) => !down.includes(name) && !unheard.includes(name)).map(identityOf);
    for (const node of [...heard, ...(unlisted ? [subnet.unlisted] : [])])
      print('bootnode', bootnodeLine(at, node), at);
  };

  const printRelayer = createRelayerLog(subnet, containers, effects, parent, past);

  /** What each node that is connected to the stats server has sent it last. */
  const lastSent = new Map<string, { readonly number: number; readonly at: number }>();
  const writeStats = (at: number) => {
    const { statsStale, closed, down } = effectsAt(at);
    const lines: string[] = [];
    for (const name of names) {
      if (statsStale || closed.includes('stats') || down.includes(name) || !shapeOf(identityOf(name)).reportsStats) {
        lastSent.delete(name);
        continue;
      }
      const { identity, chain: follows } = subnet.node(name);
      const head = headAt(name, at);
      const last = lastSent.get(name);
      if (last !== undefined && head <= last.number && at - last.at < REPEAT_BLOCK_MS) continue;
      lastSent.set(name, { number: head, at });
      if (last === undefined) lines.push(statsHistoryLine(at, identity, follows.block(head)));
      lines.push(statsBlockLine(at, identity, follows.block(head)));
    }
    writeDebug(lines);
  };

  let failedAt = 0;
  const printFrontend = (at: number) => {
    if (!effects().frontendError || at - failedAt < ERROR_EVERY_MS) return;
    failedAt = at;
    print('frontend', [frontendErrorLine(at)], at);
  };

  const printStart = (service: string, at: number): void => {
    if (service === 'relayer') print(service, relayerStartLines(at), at);
    if (service === 'stats') {
      print(service, statsStdoutLines(at), at);
      writeDebug(statsStartLines(at));
    }
    if (service === 'frontend')
      print(service, effects().fates.frontend === undefined ? frontendStartLines : frontendBuildLines, at);
    if (names.includes(service)) printNodeStart(service, at);
  };

  const printContainers = (at: number) => {
    printNodes(at);
    printBootnode(at);
    printRelayer(at);
    printFrontend(at);
  };
  for (const { service, startedAt } of containers.all()) printStart(service, startedAt);
  writeStats(containers.get('stats').startedAt + CONNECTING_MS);
  for (let at = past; at < begun; at += PAST_STEP_MS) {
    printContainers(at);
    writeStats(at);
  }
  hasStarted = true;

  return {
    statsFiles: join(debug, '*.log'),
    logFileOf,
    tick: () => {
      printContainers(now());
      writeStats(now());
    },
    printStart,
    printStop: (service, at) => {
      if (names.includes(service)) printNode(service, shapeOf(identityOf(service)).printStop(clockOf(service, at)), at);
    },
    printFatal: (name, why, at) => {
      const { socketFatal, readOnlyFatal } = shapeOf(identityOf(name));
      const line = why === 'read-only' ? readOnlyFatal : socketFatal;
      if (line !== undefined) print(name, [line], at);
    },
  };
}
