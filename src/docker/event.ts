import type { ContainerRef } from '../model/target.ts';

/** The events of containers that change what a check says; see "Docker events" in the Docker Engine API. */
export const containerActions = [
  ...['start', 'die', 'oom', 'stop', 'kill', 'restart', 'pause', 'unpause', 'rename', 'destroy'],
] as const;

/** Something that happened to a container. */
export interface DockerEvent {
  /** One of `containerActions`. */
  readonly action: string;
  readonly id: string;
  readonly name: string;
  /** The name it had before, of a `rename`. */
  readonly oldName?: string;
  /** The compose project and service; both are absent of a one-off container, which stands for no service. */
  readonly project?: string;
  readonly service?: string;
  /** Of a `die`. */
  readonly exitCode?: number;
  /** By the engine's clock, in Unix milliseconds. */
  readonly at: number;
}

/** Is the event about the container that the inventory names so? A rename concerns its old name too. */
export const matchesContainer = (ref: ContainerRef, event: DockerEvent): boolean =>
  'name' in ref
    ? event.name === ref.name || event.oldName === ref.name
    : event.project === ref.project && event.service === ref.service;

/** Is it a one-off of `docker compose run`? Such a container carries the labels of a service that it does not stand for. */
export const isOneOff = (labels: Readonly<Record<string, unknown>> | undefined): boolean =>
  String(labels?.['com.docker.compose.oneoff']).toLowerCase() === 'true';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Message {
  readonly Action?: unknown;
  readonly Actor?: { readonly ID?: unknown; readonly Attributes?: Readonly<Record<string, unknown>> | null } | null;
  readonly timeNano?: unknown;
}

/**
 * One line of `GET /events` as an event; undefined when it is about something else or incomplete.
 * Throws a SyntaxError when the line is no JSON.
 */
export function parseDockerEvent(line: string): DockerEvent | undefined {
  const message = JSON.parse(line) as Message | null;
  const action = containerActions.find((known) => known === message?.Action);
  const id = text(message?.Actor?.ID);
  const at = Math.floor(Number(message?.timeNano) / 1e6);
  if (action === undefined || id === undefined || !(at > 0)) return undefined;

  // The attributes are the container's labels with a few members of Docker's own laid over them.
  const attributes = message?.Actor?.Attributes ?? {};
  const ofService = !isOneOff(attributes);
  const members = {
    oldName: action === 'rename' ? text(attributes.oldName)?.replace(/^\//, '') : undefined,
    project: ofService ? text(attributes['com.docker.compose.project']) : undefined,
    service: ofService ? text(attributes['com.docker.compose.service']) : undefined,
    exitCode: action === 'die' ? Number.parseInt(text(attributes.exitCode) ?? '', 10) : undefined,
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined && !Number.isNaN(value));
  return { action, id, name: text(attributes.name) ?? '', at, ...Object.fromEntries(given) };
}
