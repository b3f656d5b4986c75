import { LISTEN_LIMITS, type Listener, listen } from '../http/listen.ts';
import type { WebConfig } from '../http/web-config.ts';
import { planDescriptors, readDescriptorLimit } from '../limits/descriptors.ts';
import { createProcessClock } from '../model/clock.ts';
import { settleWithin } from '../model/settle-within.ts';
import { isLoopbackHost, parseSettings, readEnvironment } from '../settings.ts';
import type { ExitCode } from './exit-code.ts';
import { complain, sayBindError } from './report.ts';
import { untilSignal } from './until-signal.ts';

/** Long enough for a prober that has waited for the port to open. */
const ANSWER_FIRST_MS = 10;

/** All parts together are given this long to end; each has a bound of its own below it. */
const STOP_WITHIN_MS = 4_100;

/** Before the inventory has been read nothing is there that could be lost. */
const STOP_EARLY_WITHIN_MS = 500;

/** Nothing should hold the process after it has stopped; what does, such as a name that is being looked up, is cut off. */
const EXIT_WITHIN_MS = 250;

/**
 * Ends the process with 0 although a thread hangs in the system, in a name server that does not answer or a disk that is
 * gone: `process.exit` waits for it. Another program in its place does not.
 */
function cutOff(): void {
  // What was started, such as a browser, is ended by listeners.
  process.emit('exit', 0);
  try {
    process.execve?.('/bin/sh', ['sh', '-c', 'exit 0']);
  } catch {
    // There is no shell.
  }
  process.exit(0);
}

/** `subnetd run`: the daemon, until it is told to end. */
export async function run(flags: { readonly config?: string; readonly listen?: string }): Promise<ExitCode> {
  let reload = () => {
    isReloadWanted = true;
  };
  let isReloadWanted = false;
  let signal: string | undefined;
  // From the first moment on: a hangup while it starts is a reload, and the end is a clean one.
  const signalled = untilSignal({ SIGHUP: () => reload() }).then((name) => {
    signal = name;
  });
  const environment = readEnvironment();
  const parsed = parseSettings(environment, flags, '0.0.0.0:10545');
  if (!parsed.ok) {
    complain(parsed.problems.map((problem) => `subnetd: ${problem}`));
    return 2;
  }
  const { settings } = parsed;
  const { host, port } = settings.listen;
  let web: WebConfig | undefined;
  if (settings.platform.webConfig !== undefined) {
    const read = (await import('../http/web-config.ts')).readWebConfig(settings.platform.webConfig);
    if (!read.ok) {
      complain(read.problems.map((problem) => `subnetd: ${problem}`));
      return 2;
    }
    web = read.config;
  }
  // Listens before the rest is loaded, which blocks the event loop: whoever already waits for life is answered first.
  const descriptorLimit = readDescriptorLimit();
  const { connections: maxConnections } = planDescriptors(descriptorLimit);
  let listener: Listener;
  try {
    listener = await listen(host, port, web, { ...LISTEN_LIMITS, maxConnections });
  } catch (error) {
    complain([sayBindError(error, `${host}:${port}`)]);
    return 1;
  }
  await new Promise((resolve) => setTimeout(resolve, ANSWER_FIRST_MS));
  const [{ startApp }, { createLog }, { readBuild }] = await Promise.all([
    import('../app.ts'),
    import('../log.ts'),
    import('./read-build.ts'),
  ]);
  const log = createLog(settings.logLevel);
  const stop = async (end: () => Promise<void>, withinMs = STOP_WITHIN_MS): Promise<ExitCode> => {
    log.info({ signal }, 'stopping');
    if (!(await settleWithin(withinMs, end()))) log.warn('something did not stop in time and is abandoned');
    log.info('stopped');
    setTimeout(() => {
      log.debug({ resources: process.getActiveResourcesInfo() }, 'something still holds the process, which ends now');
      cutOff();
    }, EXIT_WITHIN_MS).unref();
    return 0;
  };
  if (signal !== undefined) return stop(() => listener.stop(0));
  const starting = startApp({
    ...settings,
    environment,
    build: readBuild(),
    log,
    listener,
    checkUser: web?.checkUser,
    descriptorLimit,
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
    complain(started.problems);
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
