import { formatAgo, formatDuration } from '../../lib/duration.ts';
import { formatCount, toShellWord } from '../../lib/words.ts';
import type { ContainerFacts, Exit } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import { findRestartCause, isStoppedOnOrder } from '../../model/restart-cause.ts';
import type { Component, ContainerRef } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToCreate, describeRef } from '../clients/commands-to-type.ts';
import { explainDockerFault } from './explain-docker-fault.ts';
import type { View } from './view.ts';

const explainMissing = (ref: ContainerRef): Required<Finding> => ({
  seen: 'name' in ref ? `there is no container named ${ref.name}` : `there is no container of ${describeRef(ref)}`,
  fix: commandToCreate(ref),
});

/**
 * How a plain `docker stop` ends a program. A shell that ignores SIGTERM is killed; npm ends with 1; the bootnode is the first
 * process of its container, for which the runtime of Go turns SIGTERM into 2.
 */
const CODE_OF_STOP: Readonly<Record<Component, number>> = {
  node: 137,
  frontend: 137,
  relayer: 1,
  stats: 1,
  bootnode: 2,
};

/** Explains an exit code. Where no event says whether somebody stopped it, a stop and a dead program can have the same one. */
function explainCode(code: number, component: Component, onOrder: boolean | undefined): string {
  const isLikeStop = onOrder === undefined && CODE_OF_STOP[component] === code;
  if (code === 0 && component === 'node')
    return 'which the container of a node does even when its process died of a fatal error';
  if (code === 137)
    return `killed${isLikeStop ? ', as by a plain `docker stop`' : ''}, and Docker does not call it out of memory`;
  if (code === 143) return 'ended by SIGTERM, as a stop causes';
  if (isLikeStop) return 'which a plain `docker stop` causes too';
  return code === 0 ? 'no error' : 'an error';
}

type ToWall = (at: number) => number;

const formatTime = (at: number | undefined, toWall: ToWall): string =>
  at === undefined ? '' : ` at ${new Date(toWall(at)).toISOString()}`;

function explainExited(container: Container, { component, onOrder }: Ended, toWall: ToWall): Required<Finding> {
  const { name, oomKilled, exitCode, finishedAt, memoryLimitBytes } = container;
  const when = formatTime(finishedAt, toWall);
  if (oomKilled) {
    const limit = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / 2 ** 20)} MiB`;
    return {
      seen: `${name} has exited${when}, out of memory by Docker's verdict`,
      fix: `raise its memory limit${limit} or free memory on the host, then \`docker start ${toShellWord(name)}\``,
    };
  }
  if (onOrder)
    return {
      seen: `${name} was stopped on order${when}, by a person or a program`,
      fix: `start it with \`docker start ${toShellWord(name)}\``,
    };
  const code = exitCode === undefined ? '' : ` with code ${exitCode} (${explainCode(exitCode, component, onOrder)})`;
  return {
    seen: `${name} has exited${when}${code}`,
    fix: `read \`docker logs --tail 100 ${toShellWord(name)}\`, then \`docker start ${toShellWord(name)}\``,
  };
}

/** Of what component it is, and whether it ended on order. */
interface Ended {
  readonly component: Component;
  readonly onOrder: boolean | undefined;
}

function explainStopped(container: Container, ended: Ended, toWall: ToWall): Required<Finding> {
  const { name, exitCode } = container;
  switch (container.status) {
    case 'exited':
      return explainExited(container, ended, toWall);
    case 'paused':
      return {
        seen: `${name} is paused, so its processes do nothing`,
        fix: `go on with \`docker unpause ${toShellWord(name)}\``,
      };
    case 'restarting': {
      // Docker starts nothing again that was stopped on order.
      const code =
        exitCode === undefined ? '' : ` after exit code ${exitCode} (${explainCode(exitCode, ended.component, false)})`;
      const why = container.oomKilled ? " after running out of memory by Docker's verdict" : code;
      return {
        seen: `${name} ends again and again and waits for its next restart${why}`,
        fix: `read \`docker logs --tail 100 ${toShellWord(name)}\``,
      };
    }
    case 'created':
      return exitCode === undefined
        ? {
            seen: `${name} has been created and never started`,
            fix: `start it with \`docker start ${toShellWord(name)}\``,
          }
        : {
            seen: `${name} has been created and could not be started`,
            fix: `see why with \`docker start ${toShellWord(name)}\``,
          };
    case 'dead':
      return {
        seen: `${name} is dead, Docker could not remove it whole`,
        fix: `remove it with \`docker rm -f ${toShellWord(name)}\` and create it again`,
      };
    case 'removing':
      return { seen: `${name} is being removed`, fix: 'create it again if nobody else does' };
    default:
      return { seen: `${name} is not running`, fix: `see \`docker ps -a --filter ${toShellWord(`name=${name}`)}\`` };
  }
}

/** The exit before the start at `restartAt`, if it is known. */
const exitBefore = (exit: Exit | undefined, restartAt: number): Exit | undefined =>
  exit !== undefined && exit.at <= restartAt ? exit : undefined;

/** Times of a restart: when it was, how long that is ago in words, and how long it still fails the check. */
interface RestartTimes {
  readonly at: number;
  readonly ago: string;
  readonly leftMs: number;
}

/** A restart that somebody requested: wait, or ask who it was. */
function explainPlanned(
  cause: 'request' | 'recreation',
  { name }: Container,
  { ago, leftMs }: RestartTimes,
): Required<Finding> {
  const what =
    cause === 'recreation'
      ? `was recreated ${ago}, as \`docker compose up\` does after a change`
      : `was restarted on order ${ago}, by a person, a program or Docker's own start`;
  return {
    seen: `${name} ${what}, and runs`,
    fix: `if that was planned there is nothing to do, and this passes in ${formatDuration(leftMs)}`,
  };
}

function explainRestart(
  facts: ContainerFacts,
  container: Container,
  component: Component,
  times: RestartTimes,
): Required<Finding> {
  const { name } = container;
  const { at, ago } = times;
  const cause = findRestartCause(facts);
  if (cause === 'request' || cause === 'recreation') return explainPlanned(cause, container, times);
  const exit = exitBefore(facts.lastExit, at);
  const oom = facts.lastOomAt !== undefined && exit !== undefined && Math.abs(exit.at - facts.lastOomAt) < 5_000;
  const why = oom
    ? ", out of memory by Docker's verdict"
    : exit === undefined
      ? ''
      : ` after exit code ${exit.code} (${explainCode(exit.code, component, false)})`;
  const count = facts.restarts > 1 ? `, ${facts.restarts} times by now` : '';
  return {
    seen: `${name} runs but restarted ${ago}${why}${count}`,
    fix: oom
      ? 'raise its memory limit or free memory on the host'
      : `read \`docker logs --tail 100 ${toShellWord(name)}\``,
  };
}

/** Several containers of a service; subnetd watches the named one. */
const formatTwins = (twins: number | undefined): string =>
  twins === undefined ? '' : `, and is the one of ${twins} containers with its label that subnetd watches`;

/**
 * Is the container running, and has it been for `errorWindow`? Unknown while Docker is unreachable. Exit codes alone
 * decide nothing: a dead node exits 0 and a stopped one 137. Only Docker's own verdict means out of memory.
 */
export function judgeContainer({ target, facts: { container: facts }, settings, now, toWall }: View): Judgement {
  const { container: ref } = target;
  if (ref === undefined) return unknown('no container');
  const { observation, lastRestartAt } = facts ?? {};
  if (facts === undefined || observation === undefined) return unknown(`${describeRef(ref)} has not been checked yet`);
  if (observation.kind === 'docker-unreachable') return { verdict: 'unknown', ...explainDockerFault(observation.why) };
  if (observation.kind === 'missing') return { verdict: 'fail', ...explainMissing(ref) };

  const { container } = observation;
  const also = formatTwins(observation.twins);
  if (!container.running) {
    const { seen, fix } = explainStopped(
      container,
      { component: target.component, onOrder: isStoppedOnOrder(facts, container) },
      toWall,
    );
    return fail(`${seen}${also}`, fix);
  }
  const { errorWindowMs } = settings.logs;
  if (lastRestartAt !== undefined && now - lastRestartAt < errorWindowMs) {
    const agoMs = Math.max(0, now - lastRestartAt);
    const times = { at: lastRestartAt, ago: formatAgo(lastRestartAt, now), leftMs: errorWindowMs - agoMs };
    const { seen, fix } = explainRestart(facts, container, target.component, times);
    return fail(`${seen}${also}`, fix);
  }
  const since =
    container.startedAt === undefined ? '' : ` for ${formatDuration(Math.max(0, now - container.startedAt))}`;
  const kills =
    facts.oomKills === 0
      ? ''
      : `, after ${formatCount(facts.oomKills, 'out-of-memory kill', 'out-of-memory kills')} seen`;
  if (container.isUnhealthy)
    return degraded(
      `${container.name} has been running${since}${kills}${also}, and its own health check fails`,
      `read what that says with \`docker inspect --format '{{json .State.Health}}' ${toShellWord(container.name)}\``,
    );
  return pass(`${container.name} has been running${since}${kills}${also}`);
}
