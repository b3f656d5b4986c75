import { formatDuration, formatMoment } from '../../lib/duration.ts';
import { formatCount, toShellWord } from '../../lib/words.ts';
import type { ContainerFacts } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import { endedWithEngine, findRestartCause, hasJustBegun, isStoppedOnOrder } from '../../model/restart-cause.ts';
import type { Component } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, pass, unknown } from '../../model/verdict.ts';
import { commandToCreate, commandToRecreate, describeRef } from '../clients/commands-to-type.ts';
import { explainDockerFault } from './explain-fault.ts';
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

/** What the exit code of a node's container is after any end of its process. */
export const ZERO_OF_NODE = '0 (which the container of a node does even when its process died of a fatal error)';

/** An exit code with what it means. Where no event says whether somebody stopped it, a stop and a dead program can have the same one. */
function explainCode(code: number, { target: { component } }: View, onOrder: boolean | undefined): string {
  const isLikeStop = onOrder === undefined && CODE_OF_STOP[component] === code;
  if (code === 0 && component === 'node') return ZERO_OF_NODE;
  if (code === 137)
    return `137 (killed${isLikeStop ? ', as a plain docker stop does' : ''}; Docker does not report it as out of memory)`;
  if (code === 143) return '143 (ended by SIGTERM, as a stop causes)';
  return `${code} (${isLikeStop ? 'as a plain docker stop also does' : code === 0 ? 'no error' : 'an error'})`;
}

/** Why the last run of a container ended, as a line of its log says, or else how to find that out. */
function explainEnd({ target, facts: { container, logs } }: View, { name, running }: Container) {
  const ended = (running ? container?.runBefore : undefined) ?? container?.run;
  const known = target.component === 'node' ? undefined : explainLast(logs, RELAYER_START_ERRORS, ended?.startedAt);
  const readLog =
    logs?.sources.container?.fault?.what === 'not-kept'
      ? 'give it the log driver json-file or local, as its own keeps no line that says why it ended'
      : `read why it ended with \`docker logs --tail 100 ${toShellWord(name)}\``;
  return { isKnown: known !== undefined, fix: known ?? readLog };
}

/** Compose renames a container so while it makes it anew, and removes it then. */
const BEING_REPLACED = /^[0-9a-f]{12}_/;

function explainExited(view: View, container: Container, onOrder: boolean | undefined): Required<Finding> {
  const { name, oomKilled, exitCode, finishedAt, memoryLimitBytes } = container;
  // What waited for its restart was stopped some time after it had ended.
  const { at: askedAt = 0 } = (onOrder && view.facts.container?.lastStopRequest) || {};
  const at = finishedAt && Math.max(finishedAt, askedAt);
  const when = at === undefined ? '' : ` at ${new Date(view.toWall(at)).toISOString().replace(/\.\d+/, '')}`;
  // One that is being replaced must not run beside the new one, with the same key and folder.
  const start = BEING_REPLACED.test(name)
    ? `wait a moment, as compose is making it anew; if it stays so, ${commandToRecreate(view.target.container)}`
    : `start it with \`docker start ${toShellWord(name)}\``;
  if (oomKilled) {
    const limit = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / 2 ** 20)} MiB`;
    return {
      seen: `${name} exited${when}, out of memory (OOMKilled)`,
      fix: `raise its memory limit${limit} or free memory on the host, then ${start}`,
    };
  }
  if (onOrder !== false && endedWithEngine(view.facts.container, finishedAt))
    return { seen: `${name} was stopped${when} as Docker itself was`, fix: start };
  if (onOrder)
    return { seen: `${name} was stopped on request${when}, by a person, a program or a stop of Docker`, fix: start };
  const code = exitCode === undefined ? '' : ` with code ${explainCode(exitCode, view, onOrder)}`;
  const { fix, isKnown } = explainEnd(view, container);
  return {
    seen: `${name} exited${when}${code}`,
    fix: isKnown ? `${fix}, then ${start}` : `${start}; if it ends again, ${fix}`,
  };
}

function explainStopped(view: View, container: Container, onOrder: boolean | undefined): Required<Finding> {
  const { name, status, exitCode } = container;
  const word = toShellWord(name);
  const say = (is: string, fix: string) => ({ seen: `${name} ${is}`, fix });
  if (status === 'exited') return explainExited(view, container, onOrder);
  if (status === 'paused')
    return say('is paused, so its processes do nothing', `resume it with \`docker unpause ${word}\``);
  if (status === 'restarting') {
    // Docker starts nothing again that was stopped on request.
    const code = exitCode === undefined ? '' : ` after exit code ${explainCode(exitCode, view, false)}`;
    const why = container.oomKilled ? ' after running out of memory (OOMKilled)' : code;
    return say(`has ended and waits for its next restart${why}`, explainEnd(view, container).fix);
  }
  if (status === 'created') {
    const [how, what] = exitCode === undefined ? ['never', 'start it'] : ['could not be', 'see why'];
    return say(`has been created and ${how} started`, `${what} with \`docker start ${word}\``);
  }
  if (status === 'removing') return say('is being removed', 'create it again if nobody else does');
  return status === 'dead'
    ? say(
        'is dead: Docker is removing it, or could not remove it completely',
        `if it stays so, remove it with \`docker rm -f ${word}\` and create it again`,
      )
    : say('is not running', `see \`docker ps -a --filter ${toShellWord(`name=${name}`)}\``);
}

/** A restart within `errorWindow` still fails the check. */
function explainRestart(view: View, facts: ContainerFacts, container: Container): Required<Finding> | undefined {
  const { lastRestartAt: at = Number.NEGATIVE_INFINITY } = facts;
  const leftMs = view.settings.logs.errorWindowMs - Math.max(0, view.now - at);
  if (leftMs <= 0) return undefined;
  const { name, restartCount } = container;
  const ago = formatMoment(at, view);
  const cause = findRestartCause(facts);
  const how =
    cause === 'recreation'
      ? `was recreated ${ago}, as \`docker compose up\` does after a change`
      : endedWithEngine(facts, facts.lastExit?.at)
        ? `was restarted with Docker itself ${ago}`
        : `was restarted on request ${ago}, by a person, a program or a start of Docker`;
  if (cause === 'request' || cause === 'recreation')
    return {
      seen: `${name} ${how}, and runs`,
      fix: `if that was planned there is nothing to do, and this passes in ${formatDuration(leftMs)}`,
    };
  const { lastExit, lastOomAt } = facts;
  const exit = lastExit !== undefined && lastExit.at <= at ? lastExit : undefined;
  const isOom = lastOomAt !== undefined && exit !== undefined && Math.abs(exit.at - lastOomAt) < 5_000;
  const code = exit && ` after exit code ${explainCode(exit.code, view, false)}`;
  const count = restartCount > 1 ? `; Docker has restarted it ${restartCount} times` : '';
  return {
    seen: `${name} runs but restarted ${ago}${isOom ? ', out of memory (OOMKilled)' : (code ?? '')}${count}`,
    fix: isOom ? 'raise its memory limit or free memory on the host' : explainEnd(view, container).fix,
  };
}

/**
 * Is the container running, and has it been for `errorWindow`? Unknown while Docker is unreachable. Exit codes alone
 * decide nothing: a dead node exits 0 and a stopped one 137. Only Docker's own verdict means out of memory.
 */
export function judgeContainer(view: View): Judgement {
  const { container: facts } = view.facts;
  const { container: ref } = view.target;
  if (ref === undefined) return unknown('no container');
  const { observation } = facts ?? {};
  if (hasJustBegun(facts))
    return unknown(`${describeRef(ref)} has just started, and Docker has not said yet how it runs`);
  if (facts === undefined || observation === undefined) return unknown(`${describeRef(ref)} has not been checked yet`);
  if (observation.kind === 'docker-unreachable') return { verdict: 'unknown', ...explainDockerFault(observation.why) };
  if (observation.kind === 'missing')
    return fail(`Docker has no container for ${describeRef(ref)}`, commandToCreate(ref));
  const { container, twins } = observation;
  const { name, startedAt } = container;
  // Several containers of a service.
  const also = twins === undefined ? '' : `, and is the one of ${twins} containers with its label that subnetd watches`;
  const found = container.running
    ? explainRestart(view, facts, container)
    : explainStopped(view, container, isStoppedOnOrder(facts, container));
  if (found !== undefined) return fail(`${found.seen}${also}`, found.fix);
  const since = startedAt === undefined ? '' : ` for ${formatDuration(Math.max(0, view.now - startedAt))}`;
  const kills = formatCount(facts.oomKills, 'out-of-memory kill', 'out-of-memory kills');
  const runs = `${name} has been running${since}${facts.oomKills === 0 ? '' : `, after ${kills} seen`}${also}`;
  return container.isUnhealthy
    ? degraded(
        `${runs}, and its own health check fails`,
        `read what that says with \`docker inspect --format '{{json .State.Health}}' ${toShellWord(name)}\``,
      )
    : pass(runs);
}
