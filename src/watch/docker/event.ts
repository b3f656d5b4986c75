/** The container events that can change a verdict; see "Docker events" in the Docker Engine API. */
export const containerActions = [
  ...['start', 'die', 'oom', 'stop', 'kill', 'restart', 'pause', 'unpause', 'rename', 'destroy'],
] as const;

/** An event of a container. */
export interface DockerEvent {
  /** One of `containerActions`. */
  readonly action: string;
  readonly id: string;
  readonly name: string;
  /** The previous name, for a `rename`. */
  readonly oldName?: string;
  /** The compose project and service. Both are absent for a one-off container, which is not the service. */
  readonly project?: string;
  readonly service?: string;
  /** For a `die`. */
  readonly exitCode?: number;
  /** By the engine's clock, in Unix milliseconds. */
  readonly at: number;
}

/** Is it a one-off of `docker compose run`? Such a container carries the labels of a service without being it. */
export const isOneOff = (labels: Readonly<Record<string, unknown>> | undefined): boolean =>
  String(labels?.['com.docker.compose.oneoff']).toLowerCase() === 'true';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

interface Message {
  readonly Action?: unknown;
  readonly Actor?: { readonly ID?: unknown; readonly Attributes?: Readonly<Record<string, unknown>> | null } | null;
  readonly timeNano?: unknown;
}

/**
 * Parses one line of `GET /events`. Undefined when it is another kind of event or incomplete. Throws a SyntaxError when
 * it is no JSON.
 */
export function parseDockerEvent(line: string): DockerEvent | undefined {
  const message = JSON.parse(line) as Message | null;
  const action = containerActions.find((known) => known === message?.Action);
  const id = text(message?.Actor?.ID);
  const at = Math.floor(Number(message?.timeNano) / 1e6);
  if (action === undefined || id === undefined || !Number.isSafeInteger(at) || at <= 0) return undefined;

  // The attributes are the container's labels, overlaid with Docker's own.
  const attributes = message?.Actor?.Attributes ?? {};
  const isService = !isOneOff(attributes);
  const members = {
    oldName: action === 'rename' ? text(attributes.oldName)?.replace(/^\//, '') : undefined,
    project: isService ? text(attributes['com.docker.compose.project']) : undefined,
    service: isService ? text(attributes['com.docker.compose.service']) : undefined,
    exitCode: action === 'die' ? Number.parseInt(text(attributes.exitCode) ?? '', 10) : undefined,
  };
  const given = Object.entries(members).filter(
    ([, value]) => value !== undefined && (typeof value === 'string' || Number.isSafeInteger(value)),
  );
  return { action, id, name: text(attributes.name) ?? '', at, ...Object.fromEntries(given) };
}
