import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { startApp } from '../daemon/app.ts';
import type { App } from '../daemon/app-options.ts';
import { createLog } from '../daemon/log.ts';
import { parseSettings, readEnvironment, type Settings } from '../daemon/settings.ts';
import { COMMIT_DISTANCE, DAY_OLD_START_HEIGHT } from '../demo/chain.ts';
import { parseClients } from '../demo/demo-client.ts';
import type { DemoParts } from '../demo/expected-changes.ts';
import { demoNodeNames, type FaultName, findFaultErrors, isFaultName, listFaults, missingFor } from '../demo/faults.ts';
import { findChromium } from '../demo/find-chromium.ts';
import { WALLET_AT_START } from '../demo/parent-chain.ts';
import { type Simulation, type SimulationOptions, startSimulation } from '../demo/start-simulation.ts';
import { createClock } from '../lib/clock.ts';
import { describeCause } from '../lib/database-failure.ts';
import { hashApiKey, hintOf, makeApiKey } from '../platform/api/api-key.ts';
import { createAdmin, onCommandLine } from '../platform/api/create-admin.ts';
import { makePassword } from '../platform/api/passwords.ts';
import { createRepositories } from '../store/create-repositories.ts';
import type { DatabaseAddress } from '../store/database-url.ts';
import { openDatabase } from '../store/open-database.ts';
import { type Listener, listen } from '../web/listen.ts';
import type { Status } from '../web/to-status.ts';
import { type DemoPast, storeDemoHistory, toDemoHistory } from './demo-history.ts';
import { addDemoRecords } from './demo-records.ts';
import { describeBindError, type ExitCode, printLine, refuse, report } from './report.ts';
import { paintVerdict } from './status-table.ts';
import { untilSignal } from './until-signal.ts';
import { readBuild } from './version.ts';

/** How people and programs use the platform API of the demo. */
export interface DemoAccess {
  readonly userName: string;
  readonly password: string;
  readonly apiKey: string;
}

/**
 * Creates the demo's database with one admin user (id 1), an API key that may write and reload, example records, and the simulated past
 * of what an instance of subnetd will watch.
 */
async function prepareDemoApi(
  address: DatabaseAddress,
  { instance, ...past }: { readonly instance: string } & DemoPast,
): Promise<DemoAccess> {
  const connection = await openDatabase(address);
  try {
    const { platform: store, ...stores } = await createRepositories(connection);
    const places = { history: stores.history(instance), incidents: stores.incidents(instance) };
    await storeDemoHistory(places, toDemoHistory(past));
    const person = { FirstName: 'Demo', LastName: 'Admin', UserName: 'demo', EmailID: 'demo@example.com' };
    const password = makePassword();
    const created = await createAdmin(store, { ...person, Password: password }, Date.now());
    if (!created.ok) throw new Error(created.failure.message);
    const key = makeApiKey();
    const hash = hashApiKey(key);
    const scopes = ['write', 'operate'] as const;
    await store.addKey(
      { name: 'demo', scopes, owner: created.value, hash, hint: hintOf(key) },
      onCommandLine(Date.now()),
    );
    await addDemoRecords(store, created.value, Date.now());
    return { userName: person.UserName, password, apiKey: key };
  } finally {
    await connection.close();
  }
}

/** The flags of `subnetd demo`, as they are typed. */
export interface DemoFlags {
  readonly nodes?: string;
  readonly clients: string;
  readonly fault: readonly string[];
  readonly listFaults?: boolean;
  readonly json?: boolean;
  readonly configOnly?: boolean;
  readonly listen?: string;
}

const MAX_NODES = 100;
const TELL_EVERY_MS = 500;

const strong = (text: string) => styleText('bold', text, { stream: process.stdout });

function printFaults(parts: DemoParts, json: boolean): ExitCode {
  const faults = listFaults(parts);
  if (json) printLine(JSON.stringify(faults, null, 2));
  else {
    for (const { name, what, problems, fails, degrades, unknown, needs } of faults) {
      printLine(`${strong(name)}: ${what}`);
      if (problems.length > 0) printLine(`  problems  ${problems.join(', ')}`);
      if (fails.length > 0) printLine(`  fails     ${fails.join(' ')}`);
      if (degrades.length > 0) printLine(`  degrades  ${degrades.join(' ')}`);
      if (unknown.length > 0) printLine(`  unknown   ${unknown.join(' ')}`);
      if (needs !== undefined) printLine(`  ${needs}`);
    }
  }
  return 0;
}

/** Prints each verdict when it first appears and whenever it changes. */
function printChanges(app: App): () => void {
  const known = new Map<string, string>();
  const print = ({ subnets }: Status) => {
    for (const { targets } of subnets)
      for (const target of targets)
        for (const { check, verdict, reason } of target.checks) {
          const where = `${target.name} ${check}`;
          if (known.get(where) === verdict || verdict === 'unknown') continue;
          known.set(where, verdict);
          printLine(
            `${new Date().toISOString().slice(11, 19)}  ${paintVerdict(verdict, 8)}  ${where.padEnd(21)}  ${reason}`,
          );
        }
  };
  const timer = setInterval(() => print(app.status()), TELL_EVERY_MS);
  return () => clearInterval(timer);
}

function printAddresses(
  url: string,
  config: string,
  database: string,
  simulation: Simulation,
  faults: readonly FaultName[],
  parts: DemoParts,
  { userName, password, apiKey }: DemoAccess,
) {
  printLine(strong('subnetd demo: a simulated subnet on this machine'));
  printLine('');
  printLine(`  ${url}/             the status of every check`);
  printLine(`  ${url}/metrics      for Prometheus`);
  printLine(`  ${url}/status.json  every verdict with its reason`);
  printLine('');
  for (const { name, rpc } of simulation.nodes) printLine(`  ${name.padEnd(9)} ${rpc}`);
  for (const name of ['relayer', 'stats', 'frontend'] as const) printLine(`  ${name.padEnd(9)} ${simulation[name]}`);
  printLine(`  docker    ${simulation.docker}`);
  printLine(`  parent    ${simulation.parent}  its contract and wallet are in the inventory`);
  printLine(`  inventory ${config}`);
  printLine(`  database  sqlite:${database}  for "subnetd silence", as SUBNETD_DATABASE_URL`);
  printLine('  history   the day before the start is simulated');
  printLine('');
  printLine(`  ${url}/portal       the developer portal; sign in as ${userName} with ${password}`);
  printLine(`  ${url}/docs         the platform API; this key may write: ${apiKey}`);
  printLine(`  curl '${url}/api/AdminUser/ListAll/0?apiKey=${apiKey}'`);
  printLine('');
  printLine(
    faults.length > 0
      ? `Broken on purpose: ${faults.join(', ')}. A stalled height fails after a minute.`
      : 'Nothing is broken. Start it again with --fault node-down (--list-faults shows all faults).',
  );
  for (const fault of faults) {
    const missing = missingFor(fault, parts);
    if (missing !== undefined) printLine(strong(missing));
  }
  printLine('Press Ctrl-C to stop.');
  printLine('');
}

/** The signals to the demo, which are handled from its first moment: one that comes during the start leaves no folder behind. */
interface Signals {
  /** Resolves when the demo is to end. */
  readonly signalled: Promise<unknown>;
  /** Sets what a SIGHUP does. */
  readonly onReload: (reload: () => void) => void;
}

function handleSignals(): Signals {
  let reload = () => {};
  return {
    signalled: untilSignal({ SIGHUP: () => reload() }),
    onReload: (next) => {
      reload = next;
    },
  };
}

/** Runs a simulation; of a temporary folder that cannot be written, it says so and gives exit code 1. */
async function simulate(plan: SimulationOptions, work: (simulation: Simulation) => Promise<void>): Promise<ExitCode> {
  let simulation: Simulation | undefined;
  try {
    simulation = await startSimulation(plan);
    await work(simulation);
    return 0;
  } catch (error) {
    const { code, message } = describeCause(error);
    if (code === undefined || !/^(?:ENOSPC|EDQUOT|EACCES|EROFS|ENOENT|ENOTDIR|SQLITE_\w+)$/.test(code)) throw error;
    report([
      `subnetd demo: the temporary folder ${tmpdir()} cannot be written (${message}); free space there, or name another folder in TMPDIR`,
    ]);
    return 1;
  } finally {
    await simulation?.stop();
  }
}

async function watchSimulation(
  simulation: Simulation,
  listener: Listener,
  faults: readonly FaultName[],
  parts: DemoParts,
  settings: Settings,
  { signalled, onReload }: Signals,
) {
  const environment = readEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'subnetd-demo-'));
  try {
    const configPath = join(folder, 'subnetd.yaml');
    await writeFile(configPath, simulation.inventory());
    const database = { kind: 'sqlite', path: join(folder, 'subnetd.db') } as const;
    const access = await prepareDemoApi(database, {
      instance: settings.instance,
      nodes: parts.nodes,
      startedAt: Date.now(),
      heightAt: simulation.heightAt,
      commitDistance: COMMIT_DISTANCE,
      wallet: WALLET_AT_START,
    });
    const { log, messages } = createLog(environment.SUBNETD_LOG_LEVEL ?? 'warn');
    const started = await startApp({
      ...settings,
      configPath,
      environment,
      build: readBuild(),
      log,
      logMessages: messages,
      listener,
      platform: { ...settings.platform, database },
      clock: createClock({ monotonic: () => performance.now(), wall: simulation.monitorTime }),
    });
    if (!started.ok) throw new Error(`the inventory of the demo is bad: ${started.errors.join('; ')}`);
    const { app } = started;
    printAddresses(listener.url, configPath, database.path, simulation, faults, parts, access);
    const stopTelling = printChanges(app);
    onReload(() => void app.reload('SIGHUP'));
    await signalled;
    stopTelling();
    await app.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `subnetd demo`: runs a simulated subnet and the daemon that watches it, in one process. */
export async function demo(flags: DemoFlags): Promise<ExitCode> {
  const given = flags.nodes === undefined ? undefined : Number(flags.nodes);
  const isCount = given === undefined || (Number.isInteger(given) && given >= 1 && given <= MAX_NODES);
  const clients = parseClients(flags.clients, isCount ? given : undefined);
  const nodes = typeof clients === 'string' ? 0 : clients.length;
  const faults = flags.fault.filter(isFaultName);
  const environment = readEnvironment();
  const parsed = parseSettings(environment, flags, '127.0.0.1:10545');
  const errors = [
    ...(isCount && nodes <= MAX_NODES ? [] : [`--nodes must be 1 to ${MAX_NODES}`]),
    ...(typeof clients === 'string' ? [`--clients ${clients}`] : []),
    ...flags.fault
      .filter((word) => !isFaultName(word))
      .map((word) => `unknown fault ${JSON.stringify(word)}; "subnetd demo --list-faults" lists them`),
    ...(parsed.ok ? [] : parsed.errors),
  ];
  if (errors.length === 0 && typeof clients !== 'string') errors.push(...findFaultErrors(faults, nodes, clients));
  if (errors.length > 0 || !parsed.ok || typeof clients === 'string') return refuse('subnetd demo', ...errors);
  const browser = findChromium(environment.PATH ?? '');
  const parts = { nodes: demoNodeNames(nodes), clients, browser: browser !== undefined };
  if (flags.listFaults) return printFaults(parts, flags.json === true);
  const plan = { nodes, clients, faults, browser, startHeight: DAY_OLD_START_HEIGHT };

  if (flags.configOnly) {
    // The reader of the inventory may end this process at once. So does a terminal that is closed.
    const signalled = untilSignal({ SIGHUP: () => process.emit('SIGTERM', 'SIGTERM') });
    return simulate(plan, async (simulation) => {
      process.stdout.write(simulation.inventory());
      await signalled;
    });
  }

  const { host, port } = parsed.settings.listen;
  let listener: Listener;
  try {
    listener = await listen(host, port);
  } catch (error) {
    report([describeBindError(error, `${host}:${port}`)]);
    return 1;
  }
  const signals = handleSignals();
  const { settings } = parsed;
  try {
    return await simulate(plan, (simulation) =>
      watchSimulation(simulation, listener, faults, parts, settings, signals),
    );
  } finally {
    await listener.stop(0);
  }
}
