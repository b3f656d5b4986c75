import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { COMMIT_DISTANCE } from './chain.ts';
import { RELAY_PERIOD_MS, submittedAt } from './checkpoints.ts';
import type { Effects } from './effects.ts';
import {
  bootnodeLine,
  frontendErrorLine,
  frontendStartLines,
  nodeBlockLines,
  nodeStartLines,
  relayerExitLine,
  relayerLine,
  relayerStartLines,
  statsBlockLine,
  statsHistoryLine,
  statsStartLines,
} from './log-lines.ts';
import type { SimulatedSubnet } from './simulated-subnet.ts';

/** The log files of a simulated subnet. */
export interface SubnetLogFiles {
  readonly nodes: Readonly<Record<string, string>>;
  readonly bootnode: string;
  readonly relayer: string;
  /** A glob: the stats server begins a new file each day. */
  readonly stats: string;
  readonly frontend: string;
}

/** Writes what the programs of a simulated subnet print. */
export interface SubnetLogs {
  readonly files: SubnetLogFiles;
  stop(): void;
}

const TICK_MS = 500;
const PING_EVERY_MS = 2_000;
const REPEAT_BLOCK_MS = 15_000;
const ERROR_EVERY_MS = 5_000;

/** More blocks at once than this are not printed one by one, as after a clock that jumped. */
const MAX_BLOCKS = 50;

/** Writes into a folder until it is stopped; `effects` is what is broken now. */
export function writeSubnetLogs(folder: string, subnet: SimulatedSubnet, effects: () => Effects): SubnetLogs {
  const { names, chain, now } = subnet;
  const debug = join(folder, 'stats-service', 'logs', 'debug');
  mkdirSync(debug, { recursive: true });
  const files: SubnetLogFiles = {
    nodes: Object.fromEntries(names.map((name) => [name, join(folder, `${name}.log`)])),
    bootnode: join(folder, 'bootnode.log'),
    relayer: join(folder, 'relayer.log'),
    stats: join(debug, '*.log'),
    frontend: join(folder, 'frontend.log'),
  };
  const write = (file: string, lines: readonly string[]) => {
    if (lines.length > 0) appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
  };
  const statsFile = () => join(debug, `${new Date(now()).toISOString().slice(0, 10)}.log`);
  const due = (last: number, everyMs: number) => now() - last >= everyMs;

  const isQuiet = () => effects().logLevelLow;
  let quiet = isQuiet();
  const printed = new Map(names.map((name) => [name, subnet.node(name).head]));
  const writeNodes = () => {
    const restarted = quiet !== isQuiet();
    quiet = isQuiet();
    for (const name of names) {
      const { head, identity } = subnet.node(name);
      const file = files.nodes[name] ?? '';
      if (effects().down.includes(name)) continue;
      if (restarted) write(file, nodeStartLines(identity, quiet ? 2 : 4));
      const from = Math.max(printed.get(name) ?? head, head - MAX_BLOCKS);
      printed.set(name, head);
      if (quiet) continue;
      for (let number = from + 1; number <= head; number++)
        write(file, nodeBlockLines(now(), number, Math.max(number - COMMIT_DISTANCE, 0), chain.hashOf(number)));
    }
  };

  let pingedAt = 0;
  const writeBootnode = () => {
    if (!due(pingedAt, PING_EVERY_MS)) return;
    pingedAt = now();
    const heard = names.filter((name) => !effects().down.includes(name) && !effects().unheard.includes(name));
    write(
      files.bootnode,
      heard.flatMap((name) => bootnodeLine(now(), subnet.node(name).identity)),
    );
  };

  let relayedAt = Math.floor(now() / RELAY_PERIOD_MS);
  let submitted = submittedAt(chain, now());
  let relayer: 'running' | 'silent' | 'dead' = 'running';
  const writeRelayer = () => {
    const { relayer: wanted } = effects();
    const tick = Math.floor(now() / RELAY_PERIOD_MS);
    if (wanted === 'dead') {
      // A little after the start, so that whoever begins to read with it sees the line.
      if (relayer !== 'dead' && tick !== relayedAt) {
        write(files.relayer, [relayerExitLine]);
        relayer = 'dead';
      }
      return;
    }
    if (relayer === 'dead') write(files.relayer, relayerStartLines(now()));
    if (relayer === 'dead') relayer = 'running';
    if (tick === relayedAt || (wanted === 'silent' && relayer === 'silent')) return;
    relayedAt = tick;
    relayer = wanted === 'silent' ? 'silent' : 'running';
    const say = (message: string, level = 30) => relayerLine(now(), message, level);
    const lines = [say('⏰ Full Relayer: Executing normal flow periodically')];
    const to = submittedAt(chain, now());
    if (wanted === 'forking') {
      const [number, hash] = [submitted, chain.hashOf(submitted)];
      lines.push(
        say('⛔️ WARNING: Forking detected when subnet is ahead of smart contract', 50),
        say(
          `Fail to process full relayer job {\n  message: 'Forking detected! ${number}, mainnetHash: ${chain.hashOf(1)} subnetHash: ${hash}'\n}`,
          50,
        ),
      );
    } else if (wanted !== 'silent' && to > submitted) {
      const range = `${submitted + 1} to ${to}`;
      lines.push(
        say(`Start syncing with smart contract from block ${range}`),
        say(`Fetch subnet node data from ${range}`),
        say(
          `submitDynamic startblock ${submitted + 1} pushing ${to - submitted} blocks, ${to - submitted} remaining(inclusive) into PARENTNET`,
        ),
        say('Full CSC Sync completed!'),
      );
      submitted = to;
    }
    write(files.relayer, lines);
  };

  let told = new Map(names.map((name) => [name, { number: subnet.node(name).head, at: now() }]));
  const writeStats = () => {
    if (effects().statsStale || effects().closed.includes('stats')) return;
    const next = new Map(told);
    const lines: string[] = [];
    for (const name of names) {
      const { head, identity } = subnet.node(name);
      const last = told.get(name);
      if (effects().down.includes(name)) continue;
      if (last !== undefined && head <= last.number && !due(last.at, REPEAT_BLOCK_MS)) continue;
      next.set(name, { number: head, at: now() });
      lines.push(statsBlockLine(now(), identity, chain.block(head)));
    }
    told = next;
    write(statsFile(), lines);
  };

  let failedAt = 0;
  const writeFrontend = () => {
    if (!effects().frontendError || !due(failedAt, ERROR_EVERY_MS)) return;
    failedAt = now();
    write(files.frontend, [frontendErrorLine(now())]);
  };

  for (const name of names) write(files.nodes[name] ?? '', nodeStartLines(subnet.node(name).identity, quiet ? 2 : 4));
  write(files.bootnode, []);
  appendFileSync(files.bootnode, '');
  write(files.relayer, relayerStartLines(now()));
  write(files.frontend, frontendStartLines);
  write(statsFile(), [
    ...statsStartLines(now()),
    ...names.map((name) => statsHistoryLine(now(), subnet.node(name).identity, chain.block(subnet.node(name).head))),
  ]);

  const timer = setInterval(() => {
    writeNodes();
    writeBootnode();
    writeRelayer();
    writeStats();
    writeFrontend();
  }, TICK_MS);
  return { files, stop: () => clearInterval(timer) };
}
