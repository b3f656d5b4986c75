import { type Listener, listen } from '../http/listen.ts';
import type { WebConfig } from '../http/web-config.ts';
import { createProcessClock } from '../model/clock.ts';
import { isLoopbackHost, parseSettings, readEnvironment } from '../settings.ts';
import type { ExitCode } from './exit-code.ts';
import { complain, sayBindError } from './report.ts';
import { untilSignal } from './until-signal.ts';

/** Long enough for a prober that has waited for the port to open. */
const ANSWER_FIRST_MS = 10;

/** What is still under way after this long is cut off. */
const STOP_WITHIN_MS = 4_500;

/** `subnetd run`: the daemon, until it is told to end. */
export async function run(flags: { readonly config?: string; readonly listen?: string }): Promise<ExitCode> {
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
  let listener: Listener;
  try {
    listener = await listen(host, port, web);
  } catch (error) {
    complain([sayBindError(error, `${host}:${port}`)]);
    return 1;
  }
  await new Promise((resolve) => setTimeout(resolve, ANSWER_FIRST_MS));
  const [{ startApp }, { createLog }, { readBuild }] = await Promise.all([
    import('../app.ts'),
    import('../create-log.ts'),
    import('../read-build.ts'),
  ]);
  const log = createLog(settings.logLevel);
  const started = await startApp({
    ...settings,
    environment,
    build: readBuild(),
    log,
    listener,
    checkUser: web?.checkUser,
    clock: createProcessClock(),
  });
  if (!started.ok) {
    await listener.stop(0);
    complain(started.problems);
    return 2;
  }
  const { app } = started;
  // Before anybody is told that it listens, and may end it.
  const signalled = untilSignal({ SIGHUP: () => void app.reload('SIGHUP') });
  log.info({ url: listener.url, config: settings.configPath }, 'listening');
  if (!isLoopbackHost(host) && web === undefined)
    log.warn(
      { url: listener.url },
      'metrics and status are open to the network without TLS and password; keep the port behind a firewall, or listen on 127.0.0.1',
    );

  const signal = await signalled;
  log.info({ signal }, 'stopping');
  const overtime = setTimeout(() => {
    log.warn('something did not end in time and was cut off');
    process.exit(0);
  }, STOP_WITHIN_MS);
  await app.stop();
  clearTimeout(overtime);
  log.info('stopped');
  return 0;
}
