import type { IncomingMessage } from 'node:http';
import type Dockerode from 'dockerode';
import { readBounded } from '../../lib/bytes.ts';
import type { ExecFault } from '../../model/observation.ts';
import { type DockerClient, toResponse } from './client.ts';
import { createMessageReader } from './frames.ts';
import { toMembers } from './memory.ts';
import { toRefusal } from './transport.ts';

/** The stdout and exit code of a command, or why it could not run. */
export type ExecOutcome =
  | { readonly ok: true; readonly exitCode: number; readonly stdout: string }
  | { readonly ok: false; readonly why: ExecFault['why'] };

/** Runs a command in the container with this id until the signal aborts; never rejects. */
export type DockerExec = (id: string, command: readonly string[], signal: AbortSignal) => Promise<ExecOutcome>;

const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Not by dockerode's `demuxStream`, which recurses for each frame: many short frames overflow the stack. Undefined when it is too long. */
async function readStdout(response: IncomingMessage): Promise<string | undefined> {
  const all = await readBounded(response, MAX_OUTPUT_BYTES);
  if (all === undefined) return undefined;
  let stdout = '';
  const read = createMessageReader((stream, text) => {
    if (stream === '1') stdout += text;
  });
  read(all);
  return Buffer.from(stdout, 'latin1').toString();
}

/**
 * `docker exec` through the API: create, start, inspect. Docker cannot stop a command that hangs, so no other is
 * started in a container before the last one has ended.
 */
export function createDockerExec(client: DockerClient): DockerExec {
  /** The exec id of the command that has not ended, by container. */
  const hanging = new Map<string, string>();

  const inspect = async (exec: string, signal: AbortSignal) => {
    const docker = await client.get();
    try {
      return toMembers(await docker.getExec(exec).inspect({ abortSignal: signal }));
    } catch (error) {
      if (toRefusal(error) === undefined) throw error;
      return undefined;
    }
  };

  /** Creates an exec, or resolves to why the engine refused. */
  const create = async (id: string, command: readonly string[], signal: AbortSignal) => {
    const container = (await client.get()).getContainer(id);
    const plan = { AttachStdout: true, AttachStderr: true, Tty: false, Cmd: [...command] };
    try {
      return await container.exec({ ...plan, abortSignal: signal });
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined) throw error;
      if (refusal.statusCode === 404) return 'no-container';
      return refusal.statusCode === 409 ? 'not-running' : 'forbidden';
    }
  };

  /** Starts an exec, or resolves to why the engine refused. */
  const start = async (exec: Dockerode.Exec, signal: AbortSignal) => {
    try {
      return toResponse(await exec.start({ Detach: false, Tty: false, abortSignal: signal }));
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined) throw error;
      // The engine answers with another status when the program is missing.
      return refusal.statusCode === 403 ? 'forbidden' : 'no-program';
    }
  };

  const run = async (id: string, command: readonly string[], signal: AbortSignal): Promise<ExecOutcome> => {
    const before = hanging.get(id);
    if (before !== undefined && (await inspect(before, signal))?.Running === true)
      return { ok: false, why: 'still-running' };
    hanging.delete(id);

    const exec = await create(id, command, signal);
    if (typeof exec === 'string') return { ok: false, why: exec };
    if (typeof exec.id !== 'string' || !/^\w{1,128}$/.test(exec.id)) return { ok: false, why: 'docker' };

    hanging.set(id, exec.id);
    const started = await start(exec, signal);
    if (typeof started === 'string') return { ok: false, why: started };
    const stdout = await readStdout(started);
    if (stdout === undefined) return { ok: false, why: 'too-large' };
    const ended = await inspect(exec.id, signal);
    if (ended?.Running !== true) hanging.delete(id);
    const exitCode = Number(ended?.ExitCode ?? 0);
    return exitCode === 126 || exitCode === 127 ? { ok: false, why: 'no-program' } : { ok: true, exitCode, stdout };
  };

  return (id, command, signal) =>
    run(id, command, signal).catch(() => ({ ok: false, why: signal.aborted ? 'timeout' : 'docker' }));
}
