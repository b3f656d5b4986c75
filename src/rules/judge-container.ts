import { formatDuration } from '../model/duration.ts';
import type { ContainerFacts, Exit } from '../model/facts.ts';
import type { Container } from '../model/observation.ts';
import { findRestartCause } from '../model/restart-cause.ts';
import type { ContainerRef } from '../model/target.ts';
import { fail, type Judgement, pass, unknown } from '../model/verdict.ts';
import { explainDockerFault } from './explain-docker-fault.ts';
import type { View } from './view.ts';

const formatRef = (ref: ContainerRef): string =>
  'name' in ref ? `container ${ref.name}` : `service ${ref.service} of compose project ${ref.project}`;

function explainMissing(ref: ContainerRef): string {
  if ('name' in ref)
    return `there is no container named ${ref.name}; look for it with \`docker ps -a --filter name=${ref.name}\`, create it, or correct the inventory`;
  const labels = `--filter label=com.docker.compose.project=${ref.project} --filter label=com.docker.compose.service=${ref.service}`;
  return `there is no container of the ${formatRef(ref)}; look with \`docker ps -a ${labels}\`, and create it with \`docker compose -p ${ref.project} up -d ${ref.service}\` in the folder of its compose file`;
}

/** Explains an exit code: `docker stop` and a dead node can have the same one. */
function explainCode(code: number): string {
  if (code === 0) return "which a node's container does even when its process died of a fatal error";
  if (code === 1) return 'which a plain stop of a relayer or stats server causes too';
  if (code === 137)
    return 'killed, as a plain `docker stop` of a node or frontend is too, and Docker does not call it out of memory';
  if (code === 143) return 'ended by SIGTERM, as a stop causes';
  return 'an error';
}

type ToWall = (at: number) => number;

const formatTime = (at: number | undefined, toWall: ToWall): string =>
  at === undefined ? '' : ` at ${new Date(toWall(at)).toISOString()}`;

function explainExited(container: Container, toWall: ToWall): string {
  const { name, oomKilled, exitCode, finishedAt, memoryLimitBytes } = container;
  const when = formatTime(finishedAt, toWall);
  if (oomKilled) {
    const limit = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / 2 ** 20)} MiB`;
    return `${name} has exited${when}, out of memory by Docker's verdict; raise its memory limit${limit} or free memory on the host, then \`docker start ${name}\``;
  }
  const code = exitCode === undefined ? '' : ` with code ${exitCode} (${explainCode(exitCode)})`;
  return `${name} has exited${when}${code}; read \`docker logs --tail 100 ${name}\`, then \`docker start ${name}\``;
}

function explainStopped(container: Container, toWall: ToWall): string {
  const { name, exitCode } = container;
  const code = exitCode === undefined ? '' : ` after exit code ${exitCode} (${explainCode(exitCode)})`;
  switch (container.status) {
    case 'exited':
      return explainExited(container, toWall);
    case 'paused':
      return `${name} is paused, so its processes do nothing; go on with \`docker unpause ${name}\``;
    case 'restarting': {
      const why = container.oomKilled ? " after running out of memory by Docker's verdict" : code;
      return `${name} ends again and again and waits for its next restart${why}; read \`docker logs --tail 100 ${name}\``;
    }
    case 'created':
      return exitCode === undefined
        ? `${name} has been created and never started; start it with \`docker start ${name}\``
        : `${name} has been created and could not be started; \`docker start ${name}\` says why`;
    case 'dead':
      return `${name} is dead, Docker could not remove it whole; remove it with \`docker rm -f ${name}\` and create it again`;
    case 'removing':
      return `${name} is being removed; create it again if nobody else does`;
    default:
      return `${name} is not running; see \`docker ps -a --filter name=${name}\``;
  }
}

/** The exit before the start at `restartAt`, if it is known. */
const exitBefore = (exit: Exit | undefined, restartAt: number): Exit | undefined =>
  exit !== undefined && exit.at <= restartAt ? exit : undefined;

/** A restart that somebody requested: wait, or ask who it was. */
function explainPlanned(cause: 'request' | 'recreation', { name }: Container, agoMs: number, leftMs: number): string {
  const what =
    cause === 'recreation'
      ? `was recreated ${formatDuration(agoMs)} ago, as \`docker compose up\` does after a change`
      : `was restarted on order ${formatDuration(agoMs)} ago, by a person, a program or Docker's own start`;
  return `${name} ${what}, and runs; if that was planned there is nothing to do, and this passes in ${formatDuration(leftMs)}`;
}

/** Times of a restart: when it was, how long that is ago, and how long it still fails the check. */
interface RestartTimes {
  readonly at: number;
  readonly agoMs: number;
  readonly leftMs: number;
}

function explainRestart(facts: ContainerFacts, container: Container, { at, agoMs, leftMs }: RestartTimes): string {
  const { name } = container;
  const cause = findRestartCause(facts);
  if (cause === 'request' || cause === 'recreation') return explainPlanned(cause, container, agoMs, leftMs);
  const exit = exitBefore(facts.lastExit, at);
  const oom = facts.lastOomAt !== undefined && exit !== undefined && Math.abs(exit.at - facts.lastOomAt) < 5_000;
  const why = oom
    ? ", out of memory by Docker's verdict"
    : exit === undefined
      ? ''
      : ` after exit code ${exit.code} (${explainCode(exit.code)})`;
  const count = facts.restarts > 1 ? `, ${facts.restarts} times since subnetd started` : '';
  const next = oom ? 'raise its memory limit or free memory on the host' : `read \`docker logs --tail 100 ${name}\``;
  return `${name} runs but restarted ${formatDuration(agoMs)} ago${why}${count}; ${next}`;
}

const formatTwins = ({ name }: Container, twins: number | undefined): string =>
  twins === undefined ? '' : `; ${twins} containers carry its label, subnetd watches ${name}`;

/**
 * Is the container running, and has it been for `errorWindow`? Unknown while Docker is unreachable. Exit codes alone
 * decide nothing: a dead node exits 0 and a stopped one 137. Only Docker's own verdict means out of memory.
 */
export function judgeContainer({ target, facts: { container: facts }, settings, now, toWall }: View): Judgement {
  const { container: ref } = target;
  if (ref === undefined) return unknown('no container');
  const { observation, lastRestartAt } = facts ?? {};
  if (facts === undefined || observation === undefined)
    return unknown(`the ${formatRef(ref)} has not been checked yet`);
  if (observation.kind === 'docker-unreachable') return unknown(explainDockerFault(observation.why));
  if (observation.kind === 'missing') return fail(explainMissing(ref));

  const { container } = observation;
  const also = formatTwins(container, observation.twins);
  if (!container.running) return fail(`${explainStopped(container, toWall)}${also}`);
  const { errorWindowMs } = settings.logs;
  if (lastRestartAt !== undefined && now - lastRestartAt < errorWindowMs) {
    const agoMs = Math.max(0, now - lastRestartAt);
    const times = { at: lastRestartAt, agoMs, leftMs: errorWindowMs - agoMs };
    return fail(`${explainRestart(facts, container, times)}${also}`);
  }
  const since =
    container.startedAt === undefined ? '' : ` for ${formatDuration(Math.max(0, now - container.startedAt))}`;
  const kills =
    facts.oomKills === 0
      ? ''
      : `, after ${facts.oomKills} out-of-memory ${facts.oomKills === 1 ? 'kill' : 'kills'} seen`;
  return pass(`${container.name} has been running${since}${kills}${also}`);
}
