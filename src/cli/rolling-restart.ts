import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { formatDuration, parseDuration } from '../lib/duration.ts';
import { formatCount, listNames, toShellWord } from '../lib/words.ts';
import type { RestartBody } from '../model/restart-answer.ts';
import { toDaemonUrl } from './ask-daemon.ts';
import { awaitMoment, tellChanges, type Waiting } from './await-moment.ts';
import { type ExitCode, escapeText, printLine, refuse, report } from './report.ts';
import { askToRestart, EXIT_CODE } from './safe-to-restart.ts';
import { readStatus } from './status.ts';
import { untilSignal } from './until-signal.ts';

/** The flags of `subnetd rolling-restart`, as they are typed. */
export interface RollingRestartFlags {
  readonly subnet?: string;
  readonly nodes?: string;
  readonly run?: string;
  readonly wait: string;
  readonly url?: string;
}

const NAME = 'subnetd rolling-restart';
const EVERY_MS = 2_000;

/** A command that restarts a container has done so within this time after its end. */
const UNSEEN_MS = 30_000;

/** A time moves when the clock is set, mostly by less than this. */
const CLOCK_SET_MS = 5_000;

/** How nodes are restarted one after another. */
export interface Roll extends Waiting {
  /** How long each wait may take, in milliseconds. */
  readonly patienceMs: number;
  /** Restarts a node; resolves to why that failed. Absent where a person does it. */
  readonly restart?: ((body: RestartBody) => Promise<string | undefined>) | undefined;
}

interface Failure {
  readonly code: ExitCode;
  readonly why: string;
}

/** What became of a node: it is back, the moment to restart it by hand has passed, or it failed. */
type Return = 'back' | 'lapsed' | Failure;

/** Waits until a node was restarted since `before` and is relied on again. */
async function awaitReturn(node: string, before: RestartBody, roll: Roll, onRestart: () => void): Promise<Return> {
  const { ask, sleep, now, everyMs, patienceMs, restart } = roll;
  const begin = now();
  const tell = tellChanges(roll.tell, node);
  let isRestarted = false;
  for (;;) {
    const { kind, reason, body } = await ask(node);
    if (kind === 'refused') return { code: 2, why: reason };
    const waited = now() - begin;
    if (body !== undefined && !isRestarted) {
      // Without a container, a restart shows as a time in which the node is not relied on.
      isRestarted =
        before.startedAt === null
          ? body.unready !== null
          : Date.parse(body.startedAt ?? '') > Date.parse(before.startedAt) + CLOCK_SET_MS;
      if (isRestarted) onRestart();
    }
    const isReady = body?.unready === null;
    if (isReady && isRestarted) {
      roll.tell(node, `is back after ${formatDuration(waited)}`);
      return 'back';
    }
    if (isReady && restart !== undefined && waited >= UNSEEN_MS) {
      roll.tell(node, 'the command has not restarted it');
      return 'back';
    }
    if (isReady && restart === undefined && kind === 'no') return 'lapsed';
    if (waited + everyMs > patienceMs) {
      const why = isRestarted ? `is not back after ${formatDuration(patienceMs)}` : 'has not been restarted in time';
      return { code: 1, why: `${node} ${why}${isReady ? '' : `: ${body?.unready ?? reason}`}` };
    }
    if (!isReady) tell(`waiting for it: ${body?.unready ?? reason}`);
    await sleep(everyMs);
  }
}

/** The command that restarts the container of a node by hand. */
const commandFor = ({ container, node }: RestartBody): string =>
  container === null ? `restart ${node}` : `docker restart ${toShellWord(container)}`;

async function rollOne(node: string, roll: Roll, onRestart: () => void): Promise<Failure | undefined> {
  for (;;) {
    const tell = (_: string, reason: string) => roll.tell(node, `waiting: ${reason}`);
    const { kind, reason, body } = await awaitMoment(node, roll.now() + roll.patienceMs, { ...roll, tell });
    if (kind !== 'yes') return { code: EXIT_CODE[kind], why: `${node} may not be restarted: ${reason}` };
    if (body?.unready === undefined) return { code: 2, why: 'the daemon is older than this command; upgrade it' };
    const error = await roll.restart?.(body);
    if (error !== undefined) return { code: 1, why: error };
    if (roll.restart === undefined) roll.tell(node, `restart it now: ${commandFor(body)}`);
    else onRestart();
    const end = await awaitReturn(node, body, roll, onRestart);
    if (end === 'back') return undefined;
    if (end !== 'lapsed') return end;
    roll.tell(node, 'do not restart it any more');
  }
}

/** Restarts nodes one after another, each at its best moment and once the one before votes again, up to the first failure. */
export async function rollNodes(nodes: readonly string[], roll: Roll): Promise<ExitCode> {
  const restarted = new Set<string>();
  for (const node of nodes) {
    const failure = await rollOne(node, roll, () => restarted.add(node)).catch((error: Error): Failure => {
      if (error.name !== 'AbortError') throw error;
      return { code: 1, why: 'stopped' };
    });
    if (failure === undefined) continue;
    const left = nodes.filter((one) => !restarted.has(one));
    const rest = left.length === 0 ? '' : `, then go on with --nodes ${left.map(toShellWord).join(',')}`;
    report([
      `${NAME}: ${escapeText(failure.why)}`,
      `${NAME}: ${restarted.size} of ${formatCount(nodes.length, 'node', 'nodes')} restarted; see subnetd status${rest}`,
    ]);
    return failure.code;
  }
  return 0;
}

/** The nodes that are meant, by name, or why that is not clear. */
async function findNodes(url: URL, subnet: string | undefined, only: string | undefined) {
  const read = await readStatus(url, false);
  if (!read.ok) return read;
  const fail = (error: string) => ({ ok: false, error }) as const;
  const { subnets } = read.status;
  const names = listNames(
    subnets.map(({ name }) => name),
    10,
  );
  const [found, other] = subnets.filter(({ name }) => subnet === undefined || name === subnet);
  if (found === undefined) return fail(`the inventory has no such subnet; it has ${names}`);
  if (other !== undefined) return fail(`name the subnet with --subnet: ${names}`);
  const all = found.targets.flatMap(({ component, name }) => (component === 'node' ? [name] : []));
  const nodes = only === undefined ? all : [...new Set(only.split(',').filter(Boolean))];
  const missing = nodes.find((name) => !all.includes(name));
  if (missing !== undefined) return fail(`${found.name} has no node ${missing}; it has ${listNames(all, 30)}`);
  return nodes.length === 0 ? fail('there is no node to restart') : ({ ok: true, subnet: found.name, nodes } as const);
}

/** Runs a command for a node in a shell, with its name and that of its container as words. Resolves to why it failed. */
async function runFor(command: string, { node, container }: RestartBody, tell: Waiting['tell']) {
  if (container === null && command.includes('{container}'))
    return `Docker has no container of ${node}, so {container} is unknown; use {node}`;
  const words: Readonly<Record<string, string>> = { node: toShellWord(node), container: toShellWord(container ?? '') };
  const text = command.replaceAll(/\{(node|container)\}/g, (_, word: string) => words[word] ?? '');
  tell(node, `running ${escapeText(text)}`);
  const child = spawn('/bin/sh', ['-c', text], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return code === 0 ? undefined : `the command for ${node} ended with ${signal ?? `exit code ${code}`}`;
}

/**
 * `subnetd rolling-restart`: restarts the nodes of a subnet one after another, by a given command or by hand, each when the daemon says
 * that it may be and its own turn has just passed. Exit 0 when all were restarted and are back, 1 when one fails, 2 when nobody knows.
 */
export async function rollingRestart(flags: RollingRestartFlags): Promise<ExitCode> {
  const { run } = flags;
  const patienceMs = parseDuration(flags.wait);
  if (patienceMs === undefined) return refuse(NAME, '--wait must be a duration, such as 10m');
  const daemon = await toDaemonUrl(flags.url);
  if (!daemon.ok) return refuse(NAME, ...daemon.errors);
  const found = await findNodes(daemon.url, flags.subnet, flags.nodes);
  if (!found.ok) return refuse(NAME, found.error);
  const { subnet, nodes } = found;
  const stop = new AbortController();
  void untilSignal().then(() => stop.abort());
  const tell: Waiting['tell'] = (node, text) =>
    printLine(`${new Date().toISOString().slice(11, 19)}  ${node}: ${text}`);
  const code = await rollNodes(nodes, {
    ...{ patienceMs, tell, everyMs: EVERY_MS, now: () => performance.now() },
    ask: (node) => askToRestart(daemon.url, node, subnet),
    sleep: (ms) => wait(ms, undefined, { signal: stop.signal }),
    restart: run === undefined ? undefined : (body) => runFor(run, body, tell),
  });
  if (code === 0) printLine(`all ${formatCount(nodes.length, 'node', 'nodes')} of ${escapeText(subnet)} are restarted`);
  return code;
}
