import { findUnknownSettings } from '../daemon/find-unknown-settings.ts';
import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { createProcessClock } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { describeInternalError } from '../lib/internal-errors.ts';
import { formatCount } from '../lib/words.ts';
import type { RestartResult } from '../model/restart-answer.ts';
import type { Snapshot, TargetState } from '../model/snapshot.ts';
import type { SubnetProbeKind } from '../model/subnet-facts.ts';
import type { CheckSettings, Target } from '../model/target.ts';
import { readInventory } from '../watch/inventory/read-inventory.ts';
import { createMonitor } from '../watch/monitor/create-monitor.ts';
import { compileWindows } from '../watch/planned/compile-windows.ts';
import { report } from './report.ts';

const READ_EVERY_MS = 1_000;

/** A node with a height that has not risen yet: only time shows whether it does. */
const waitsForMovement = ({ facts: { node }, checks }: TargetState): boolean =>
  node?.observation.latest.ok === true &&
  node.latest?.risen === false &&
  checks.some(({ check, verdict }) => check === 'latest_block' && verdict === 'pass');

/** A readable log without enough lines yet. */
const waitsForLines = ({ facts: { logs }, checks }: TargetState): boolean =>
  checks.some(({ round, verdict }) => round === 'logs' && verdict === 'unknown') &&
  (logs === undefined ||
    Object.values(logs.sources).length === 0 ||
    Object.values(logs.sources).some(({ up, fault }) => up || fault === undefined));

function waiting(snapshot: Snapshot): ReadonlyMap<Target, CheckSettings> {
  const pending = snapshot.flatMap(({ subnet, targets }) =>
    targets
      .filter((state) => waitsForMovement(state) || waitsForLines(state))
      .map(({ target }) => [target, subnet.settings] as const),
  );
  return new Map(pending);
}

/** One line on stderr about what the command waits for. On a terminal, it is overwritten and removed at the end. */
function createProgress() {
  const { stderr } = process;
  let last = '';
  return {
    show: (line: string) => {
      if (stderr.isTTY) stderr.write(`\r\x1b[2K${line}`);
      else if (last === '') stderr.write(`${line}\n`);
      last = line;
    },
    end: () => {
      if (stderr.isTTY && last !== '') stderr.write('\r\x1b[2K');
    },
  };
}

/** All that is known after every probe ran once. */
export interface ProbedOnce {
  readonly snapshot: Snapshot;
  readonly toWall: (at: number) => number;
  /** A probe or a diagnosis has a bug, which was reported. */
  readonly broke: boolean;
  /** The answer about the node that was asked for. */
  readonly restart?: RestartResult | undefined;
}

/**
 * Runs every probe of the inventory once, and of those of whole subnets the wanted kinds; `ownPort` is that of the daemon. Where only
 * movement shows the state, it probes again each second, for at most `stallAfter`. Then it asks whether a node `mayRestart`. Undefined
 * with a bad configuration, whose errors it reports.
 */
export async function probeOnce(
  flags: { readonly config?: string; readonly ownPort?: number | undefined },
  kinds: readonly SubnetProbeKind[],
  mayRestart?: { readonly subnet: string | undefined; readonly node: string },
): Promise<ProbedOnce | undefined> {
  const environment = readEnvironment();
  const parsed = parseSettings(environment, { ...flags, listen: '127.0.0.1:0' }, '');
  const read = parsed.ok ? await readInventory(parsed.settings.configPath, environment) : parsed;
  if (!read.ok) {
    report(read.errors);
    return undefined;
  }
  report(findUnknownSettings(environment).map((sentence) => `subnetd: ${sentence}`));
  let broke = false;
  const clock = createProcessClock();
  const windowsAt = compileWindows(read.inventory.maintenance ?? []);
  const monitor = createMonitor({
    clock,
    plannedWork: () => windowsAt(clock.toWall(clock.now())),
    own: { port: flags.ownPort },
    scheduled: false,
    onBug: (error, part) => {
      broke = true;
      report([`subnetd: ${describeInternalError(part)}: ${error instanceof Error ? error.stack : error}`]);
    },
  });
  monitor.load(read.inventory);
  const progress = createProgress();
  const started = performance.now();
  await Promise.all([monitor.probeNow(() => true), monitor.probeSubnetsNow(kinds)]);
  for (;;) {
    const pending = waiting(monitor.snapshot());
    if (pending.size === 0) break;
    const limitMs = Math.max(...[...pending.values()].map(({ rpc }) => rpc.stallAfterMs));
    const waited = performance.now() - started;
    // One second longer than `stallAfter`, so that the rule itself reports the stall.
    if (waited > limitMs + 2 * READ_EVERY_MS) break;
    progress.show(
      `waiting for ${formatCount(pending.size, 'target', 'targets')} to move: ${formatDuration(waited)} of at most ${formatDuration(limitMs)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS));
    await monitor.probeNow((target, round) => (round === 'rpc' || round === 'logs') && pending.has(target));
  }
  progress.end();
  const restart = mayRestart && (await monitor.restarts.ask(mayRestart.subnet, mayRestart.node));
  const snapshot = monitor.snapshot();
  await monitor.stop();
  return { snapshot, toWall: clock.toWall, broke, restart };
}
