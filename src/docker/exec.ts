import type { IncomingMessage } from 'node:http';
import type { ExecFault } from '../model/observation.ts';
import type { DockerApi } from './client.ts';
import { toMembers } from './members.ts';

/** What a command printed on stdout and how it ended, or why it could not be run. */
export type ExecOutcome =
  | { readonly ok: true; readonly exitCode: number; readonly stdout: string }
  | { readonly ok: false; readonly why: ExecFault['why'] };

/** Runs a command in the container with this id until the signal aborts; never rejects. */
export type DockerExec = (id: string, command: readonly string[], signal: AbortSignal) => Promise<ExecOutcome>;

const MAX_OUTPUT_BYTES = 1024 * 1024;
/** A frame begins with its stream (1: stdout) and, as a big-endian number in the last 4 bytes, its length. */
const HEADER_BYTES = 8;
const STDOUT = 1;

/** Reads a multiplexed stream ("attach" in the Docker Engine API); undefined when it is longer than we take. */
async function readStdout(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_OUTPUT_BYTES) return undefined;
    chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  const parts: Buffer[] = [];
  for (let at = 0; at + HEADER_BYTES <= all.length; ) {
    const end = at + HEADER_BYTES + all.readUInt32BE(at + 4);
    if (all[at] === STDOUT) parts.push(all.subarray(at + HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(parts).toString();
}

/** A small answer as JSON; undefined when it is none. */
async function readMembers(response: IncomingMessage) {
  const text = (await response.setEncoding('utf8').take(64).toArray()).join('');
  try {
    return toMembers(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * `docker exec` through the API: create, start, inspect. Docker cannot end a command that hangs, so none is started in
 * a container whose last one still runs.
 */
export function createDockerExec(api: DockerApi): DockerExec {
  /** The command that was given up, by container. */
  const hanging = new Map<string, string>();

  const inspect = async (exec: string, signal: AbortSignal) => {
    const { status, body } = await api.read(`/exec/${exec}/json`, {}, signal);
    return status === 200 ? toMembers(body) : undefined;
  };

  const run = async (id: string, command: readonly string[], signal: AbortSignal): Promise<ExecOutcome> => {
    const before = hanging.get(id);
    if (before !== undefined && (await inspect(before, signal))?.Running === true)
      return { ok: false, why: 'still-running' };
    hanging.delete(id);

    const plan = { AttachStdout: true, AttachStderr: true, Tty: false, Cmd: command };
    const created = await api.post(`/containers/${id}/exec`, plan, signal);
    if (created.statusCode !== 201) {
      created.destroy();
      if (created.statusCode === 404) return { ok: false, why: 'no-container' };
      return { ok: false, why: created.statusCode === 409 ? 'not-running' : 'forbidden' };
    }
    const exec = (await readMembers(created))?.Id;
    if (typeof exec !== 'string' || !/^\w{1,128}$/.test(exec)) return { ok: false, why: 'docker' };

    hanging.set(id, exec);
    const started = await api.post(`/exec/${exec}/start`, { Detach: false, Tty: false }, signal);
    if (started.statusCode !== 200) {
      started.destroy();
      // The engine answers so when the program is not there.
      return { ok: false, why: started.statusCode === 403 ? 'forbidden' : 'no-program' };
    }
    const stdout = await readStdout(started);
    if (stdout === undefined) return { ok: false, why: 'too-large' };
    const ended = await inspect(exec, signal);
    if (ended?.Running !== true) hanging.delete(id);
    const exitCode = Number(ended?.ExitCode ?? 0);
    return exitCode === 126 || exitCode === 127 ? { ok: false, why: 'no-program' } : { ok: true, exitCode, stdout };
  };

  return (id, command, signal) =>
    run(id, command, signal).catch(() => ({ ok: false, why: signal.aborted ? 'timeout' : 'docker' }));
}
