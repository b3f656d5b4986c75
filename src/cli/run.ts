import { findUnknownSettings } from '../daemon/find-unknown-settings.ts';
import { planDescriptors, readDescriptorLimit } from '../daemon/limits/descriptors.ts';
import { parseSettings, readEnvironment } from '../daemon/settings.ts';
import { isLoopbackHost } from '../lib/addresses.ts';
import { createProcessClock } from '../lib/clock.ts';
import { settleWithin } from '../lib/promises.ts';
import { LISTEN_LIMITS, type Listener, listen } from '../web/listen.ts';
import type { WebConfig } from '../web/web-config.ts';
import { describeBindError, type ExitCode, refuse, report } from './report.ts';
import { untilSignal } from './until-signal.ts';

/** Long enough to answer a client that has waited for the port. */
const ANSWER_FIRST_MS = 10;

/** Time limit of the stop of all parts; each has its own, shorter one. */
const STOP_WITHIN_MS = 4_100;

/** Time limit of a stop before the inventory has been read, when nothing can be lost. */
const STOP_EARLY_WITHIN_MS = 500;

/** Time after the stop until the process ends by force. Nothing should hold it, but a name look-up may. */
const EXIT_WITHIN_MS = 250;

/**
 * Ends the process with 0 although a thread hangs in the system, in a name look-up or on a disk that is gone.
 * `process.exit` waits for that thread; replacing the process by another program does not.
 */
function cutOff(): void {
  // Listeners end child processes, such as a browser.
  process.emit('exit', 0);
  try {
    process.execve?.('/bin/sh', ['sh', '-c', 'exit 0']);
  } catch {
    // There is no shell.
  }
  process.exit(0);
}

/** `subnetd run`: runs the daemon until a signal. */
export async function run(flags: {
  readonly config?: string;
  readonly listen?: string;
  readonly shard?: string;
}): Promise<ExitCode> {
  let reload = () => {
    isReloadWanted = true;
  };
  let isReloadWanted = false;
  let signal: string | undefined;
  // From the first moment: a SIGHUP during the start is a reload, and a SIGTERM ends cleanly.
  const signalled = untilSignal({ SIGHUP: () => reload() }).then((name) => {
    signal = name;
  });
  const environment = readEnvironment();
  const parsed = parseSettings(environment, flags);
  if (!parsed.ok) return refuse('subnetd', ...parsed.errors);
  const { settings } = parsed;
  const { host, port } = settings.listen;
  let web: WebConfig | undefined;
  if (settings.platform.webConfig !== undefined) {
    const read = (await import('../web/web-config.ts')).readWebConfig(settings.platform.webConfig);
    if (!read.ok) return refuse('subnetd', ...read.errors);
    web = read.config;
  }
  if (settings.isPublic && web?.checkUser === undefined)
    return refuse(
      'subnetd',
      'SUBNETD_PUBLIC opens a page without details beside those for your users; name them in basic_auth_users of SUBNETD_WEB_CONFIG, else everybody sees everything',
    );
  // Listens before the rest is loaded, which blocks the event loop. So a waiting liveness probe is answered first.
  const descriptorLimit = readDescriptorLimit();
  const { connections: maxConnections } = planDescriptors(descriptorLimit);
  let listener: Listener;
  try {
    listener = await listen(host, port, web, { ...LISTEN_LIMITS, maxConnections });
  } catch (error) {
    report([describeBindError(error, `${host}:${port}`)]);
    return 1;
  }
  await new Promise((resolve) => setTimeout(resolve, ANSWER_FIRST_MS));
  const [{ startApp }, { createLog }, { createServiceManager }, { readBuild }] = await Promise.all([
    import('../daemon/app.ts'),
    import('../daemon/log.ts'),
    import('../daemon/service-manager.ts'),
    import('./version.ts'),
  ]);
  const { log, messages } = createLog(settings.logLevel);
  const manager = createServiceManager(environment, log);
  const stop = async (end: () => Promise<void>, withinMs = STOP_WITHIN_MS): Promise<ExitCode> => {
    log.info({ signal }, 'stopping');
    manager?.stopping();
    if (!(await settleWithin(withinMs, end()))) log.warn('something did not stop in time and was abandoned');
    log.info('stopped');
    setTimeout(() => {
      log.debug({ resources: process.getActiveResourcesInfo() }, 'something still holds the process, which ends now');
      cutOff();
    }, EXIT_WITHIN_MS).unref();
    return 0;
  };
  for (const sentence of findUnknownSettings(environment)) log.warn(sentence);
  if (signal !== undefined) return stop(() => listener.stop(0));
  const starting = startApp({
    ...settings,
    environment,
    build: readBuild(),
    log,
    logMessages: messages,
    listener,
    checkUser: web?.checkUser,
    descriptorLimit,
    onRunning: manager?.running,
    clock: createProcessClock(),
  });
  const started = await Promise.race([starting, signalled]);
  if (started === undefined)
    return stop(async () => {
      const late = await starting;
      await (late.ok ? late.app.stop() : listener.stop(0));
    }, STOP_EARLY_WITHIN_MS);
  if (!started.ok) {
    await listener.stop(0);
    report(started.errors);
    return 2;
  }
  const { app } = started;
  reload = () => void app.reload('SIGHUP');
  if (isReloadWanted) reload();
  log.info({ url: listener.url, config: settings.configPath }, 'listening');
  if (!isLoopbackHost(host) && web === undefined)
    log.warn(
      { url: listener.url },
      'metrics and status are open to the network without TLS and password; keep the port behind a firewall, or listen on 127.0.0.1',
    );

  await signalled;
  return stop(app.stop);
}
