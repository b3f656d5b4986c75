import type { HistoryChange } from '../../model/history.ts';
import type { Container } from '../../model/observation.ts';
import { endedWithEngine } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { ChangeMoment } from './change-subject.ts';

/** What is remembered of a container, to see what happens to it. */
export type SeenContainer = Pick<Container, 'id' | 'status' | 'running' | 'startedAt' | 'image'> & {
  readonly oomKills: number;
};

/** A start that Docker reports may differ by the fraction of a second that its clock is read at. */
const SAME_START_MS = 1_000;

/** The container of a target as it is now: what was seen of it before while that is the same, or nothing new is known. */
export function seeContainer({ facts }: TargetState, before: SeenContainer | undefined): SeenContainer | undefined {
  const { observation, oomKills = 0 } = facts.container ?? {};
  if (observation?.kind !== 'found') return before;
  const { id, status, running, startedAt, image } = observation.container;
  const isSame =
    before?.id === id &&
    before.status === status &&
    before.running === running &&
    before.startedAt === startedAt &&
    before.image === image &&
    before.oomKills === oomKills;
  if (isSame) return before;
  return { id, status, running, oomKills, ...(startedAt !== undefined && { startedAt }), ...(image && { image }) };
}

const STARTED_BY = {
  policy: 'its restart policy has started it again',
  request: 'a person, a program or a start of Docker started it',
  recreation: 'a new container was started',
} as const;

function describeEnd({ facts }: TargetState, isOom: boolean): string {
  const { observation, lastExit } = facts.container ?? {};
  const own = observation?.kind === 'found' ? observation.container : undefined;
  const code = own?.exitCode ?? lastExit?.code;
  const words = own?.status === 'paused' ? 'it was paused' : 'it has ended';
  return `${words}${code === undefined || own?.status === 'paused' ? '' : ` with exit code ${code}`}${isOom ? ', out of memory' : ''}`;
}

/** What has happened to the container of a target. */
export function findContainerChanges(
  state: TargetState,
  before: SeenContainer,
  current: SeenContainer,
  { at, toWall }: ChangeMoment,
): readonly HistoryChange[] {
  const { subnet, component, name, container } = state.target;
  const { container: facts } = state.facts;
  const { observation, lastRestartBy } = facts ?? {};
  const found = observation?.kind === 'found' ? observation.container : undefined;
  const what = found?.name ?? (container && 'name' in container ? container.name : name);
  const isNew = current.id !== before.id;
  const startedAt = current.startedAt === undefined ? at : toWall(current.startedAt);
  const hasStarted = current.running && (isNew || (current.startedAt ?? 0) - (before.startedAt ?? 0) > SAME_START_MS);
  const isOom = current.oomKills > before.oomKills;
  const change = (
    when: number,
    kind: 'container' | 'version',
    was: string,
    is: string,
    reason: string,
  ): HistoryChange => ({ at: when, subnet, component, name, kind, what, was, is, reason });
  const changes: HistoryChange[] = [];
  if (isNew) changes.push(change(startedAt, 'container', before.status, 'recreated', 'the container was made again'));
  if (current.image !== before.image && current.image !== undefined && before.image !== undefined)
    changes.push(change(startedAt, 'version', before.image, current.image, 'the container has another image'));
  if (hasStarted && !isNew) {
    const end = before.running ? `, after ${describeEnd(state, isOom)}` : '';
    const isByEngine = lastRestartBy === 'request' && endedWithEngine(facts, facts?.lastExit?.at);
    const by = lastRestartBy === undefined ? 'it was started' : STARTED_BY[lastRestartBy];
    const how = isByEngine ? 'it was started with Docker itself' : by;
    changes.push(change(startedAt, 'container', before.status, 'started', `${how}${end}`));
  } else if (before.status !== current.status && !isNew)
    changes.push(
      current.running
        ? change(at, 'container', before.status, current.status, 'it runs again')
        : change(
            // One that is paused has not ended: Docker says when the run before did.
            found?.finishedAt === undefined || found.status === 'paused' ? at : toWall(found.finishedAt),
            'container',
            before.status,
            current.status,
            describeEnd(state, isOom),
          ),
    );
  else if (isOom)
    changes.push(change(at, 'container', before.status, 'killed', 'a process in it was killed, out of memory'));
  return changes;
}
