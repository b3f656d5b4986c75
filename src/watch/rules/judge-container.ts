import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { formatCount, toShellWord } from '../../lib/words.ts';
import type { ContainerFacts } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import { findRestartCause, isStoppedOnOrder } from '../../model/restart-cause.ts';
import type { Component } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToCreate, describeRef } from '../clients/commands-to-type.ts';
import { explainDockerFault } from './explain-docker-fault.ts';
import { explainLast } from './find-log-fault.ts';
import { RELAYER_START_ERRORS } from './fold-relayer-log.ts';
import type { View } from './view.ts';

/** How a plain `docker stop` ends a program: a shell is killed, npm ends with 1, and Go as first process with 2. */
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
    return `killed${isLikeStop ? ', as a plain docker stop does' : ''}; Docker does not report it as out of memory`;
  if (code === 143) return 'ended by SIGTERM, as a stop causes';
  if (isLikeStop) return 'as a plain docker stop also does';
  return code === 0 ? 'no error' : 'an error';
}

/** Why the last run of a container ended, as a line of its log says, or else how to find that out. */
function explainEnd({ target, facts: { container, logs } }: View, { name, running }: Container) {
  const ended = (running ? container?.runBefore : undefined) ?? container?.run;
  const since = (ended?.startedAt ?? 0) - LINE_TOLERANCE_MS;
  const known = target.component === 'node' ? undefined : explainLast(logs, RELAYER_START_ERRORS, since);
  const readLog = `read why it ended with \`docker logs --tail 100 ${toShellWord(name)}\``;
  return { isKnown: known !== undefined, fix: known ?? readLog };
}

function explainExited(view: View, container: Container, onOrder: boolean | undefined): Required<Finding> {
  const { name, oomKilled, exitCode, finishedAt, memoryLimitBytes } = container;
  const when =
    finishedAt === undefined ? '' : ` at ${new Date(view.toWall(finishedAt)).toISOString().replace(/\.\d+/, '')}`;
  const start = `start it with \`docker start ${toShellWord(name)}\``;
  if (oomKilled) {
    const limit = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / 2 ** 20)} MiB`;
    return {
      seen: `${name} exited${when}, out of memory (OOMKilled)`,
      fix: `raise its memory limit${limit} or free memory on the host, then ${start}`,
    };
  }
  if (onOrder) return { seen: `${name} was stopped on request${when}, by a person or a program`, fix: start };
  const code =
    exitCode === undefined ? '' : ` with code ${exitCode} (${explainCode(exitCode, view.target.component, onOrder)})`;
  const { fix, isKnown } = explainEnd(view, container);
  return {
    seen: `${name} exited${when}${code}`,
    fix: isKnown ? `${fix}, then ${start}` : `${start}; if it ends again, ${fix}`,
  };
}

function explainStopped(view: View, container: Container, onOrder: boolean | undefined): Required<Finding> {
  const { name, exitCode } = container;
  switch (container.status) {
    case 'exited':
      return explainExited(view, container, onOrder);
    case 'paused':
      return {
        seen: `${name} is paused, so its processes do nothing`,
        fix: `resume it with \`docker unpause ${toShellWord(name)}\``,
      };
    case 'restarting': {
      // Docker starts nothing again that was stopped on request.
      const code =
        exitCode === undefined
          ? ''
          : ` after exit code ${exitCode} (${explainCode(exitCode, view.target.component, false)})`;
      const why = container.oomKilled ? ' after running out of memory (OOMKilled)' : code;
      return {
        seen: `${name} has ended and waits for its next restart${why}`,
        fix: explainEnd(view, container).fix,
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
        seen: `${name} is dead: Docker could not remove it completely`,
        fix: `remove it with \`docker rm -f ${toShellWord(name)}\` and create it again`,
      };
    case 'removing':
      return { seen: `${name} is being removed`, fix: 'create it again if nobody else does' };
    default:
      return { seen: `${name} is not running`, fix: `see \`docker ps -a --filter ${toShellWord(`name=${name}`)}\`` };
  }
}

/** Explains a restart at `at`, which still fails the check for `leftMs`. */
function explainRestart(
  view: View,
  facts: ContainerFacts,
  container: Container,
  at: number,
  leftMs: number,
): Required<Finding> {
  const { name } = container;
  const ago = formatMoment(at, view);
  const cause = findRestartCause(facts);
  if (cause === 'request' || cause === 'recreation')
    return {
      seen: `${name} ${cause === 'recreation' ? `was recreated ${ago}, as \`docker compose up\` does after a change` : `was restarted on request ${ago}, by a person, a program or a start of Docker`}, and runs`,
      fix: `if that was planned there is nothing to do, and this passes in ${formatDuration(leftMs)}`,
    };
  const { lastExit, lastOomAt, restarts } = facts;
  const exit = lastExit !== undefined && lastExit.at <= at ? lastExit : undefined;
  const isOom = lastOomAt !== undefined && exit !== undefined && Math.abs(exit.at - lastOomAt) < 5_000;
  const code = exit && ` after exit code ${exit.code} (${explainCode(exit.code, view.target.component, false)})`;
  const count = restarts > 1 ? `; ${restarts} restarts since subnetd began to watch it` : '';
  return {
    seen: `${name} runs but restarted ${ago}${isOom ? ', out of memory (OOMKilled)' : (code ?? '')}${count}`,
    fix: isOom ? 'raise its memory limit or free memory on the host' : explainEnd(view, container).fix,
  };
}

/** Several containers of a service; subnetd watches the named one. */
const formatTwins = (twins: number | undefined): string =>
  twins === undefined ? '' : `, and is the one of ${twins} containers with its label that subnetd watches`;

/**
 * Is the container running, and has it been for `errorWindow`? Unknown while Docker is unreachable. Exit codes alone
 * decide nothing: a dead node exits 0 and a stopped one 137. Only Docker's own verdict means out of memory.
 */
export function judgeContainer(view: View): Judgement {
  const {
    target,
    facts: { container: facts },
    settings,
    now,
  } = view;
  const { container: ref } = target;
  if (ref === undefined) return unknown('no container');
  const { observation, lastRestartAt } = facts ?? {};
  if (facts === undefined || observation === undefined) return unknown(`${describeRef(ref)} has not been checked yet`);
  if (observation.kind === 'docker-unreachable') return { verdict: 'unknown', ...explainDockerFault(observation.why) };
  if (observation.kind === 'missing')
    return fail(`Docker has no container for ${describeRef(ref)}`, commandToCreate(ref));
  const { container } = observation;
  const { name, startedAt } = container;
  const also = formatTwins(observation.twins);
  if (!container.running) {
    const { seen, fix } = explainStopped(view, container, isStoppedOnOrder(facts, container));
    return fail(`${seen}${also}`, fix);
  }
  const agoMs = Math.max(0, now - (lastRestartAt ?? Number.NEGATIVE_INFINITY));
  if (lastRestartAt !== undefined && agoMs < settings.logs.errorWindowMs) {
    const { seen, fix } = explainRestart(view, facts, container, lastRestartAt, settings.logs.errorWindowMs - agoMs);
    return fail(`${seen}${also}`, fix);
  }
  const since = startedAt === undefined ? '' : ` for ${formatDuration(Math.max(0, now - startedAt))}`;
  const kills = formatCount(facts.oomKills, 'out-of-memory kill', 'out-of-memory kills');
  const runs = `${name} has been running${since}${facts.oomKills === 0 ? '' : `, after ${kills} seen`}${also}`;
  return container.isUnhealthy
    ? degraded(
        `${runs}, and its own health check fails`,
        `read what that says with \`docker inspect --format '{{json .State.Health}}' ${toShellWord(name)}\``,
      )
    : pass(runs);
}
