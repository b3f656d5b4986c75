import { isRecord } from '../../lib/values.ts';
import type { DockerClient } from './client.ts';

/** The members of a JSON object; undefined for any other value. */
export const toMembers = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isRecord(value) ? value : undefined;

/** A finite number of at least 0, or undefined. */
export const toCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Reads the memory in use by containers. */
export type ContainerMemory = ReturnType<typeof createContainerMemory>;

interface Entry {
  startedAt: number | undefined;
  bytes: number | undefined;
  isBusy: boolean;
}

const timeoutMs = 5_000;
/** Far more than one engine runs; the least recently read entry is dropped. */
const maxContainers = 4_096;

/** Memory in use without the page cache, as the docker CLI computes it: cgroup v1's name first, then v2's. */
function toMemoryBytes(body: unknown): number | undefined {
  const memory = toMembers(toMembers(body)?.memory_stats);
  const usage = toCount(memory?.usage);
  if (usage === undefined) return undefined;
  const { total_inactive_file, inactive_file } = toMembers(memory?.stats) ?? {};
  const cache = [total_inactive_file, inactive_file].map(toCount).find((size) => size !== undefined && size < usage);
  return usage - (cache ?? 0);
}

/** Reads memory by `GET /containers/ID/stats`. Where that fails, as behind some socket proxies, there is no value. */
export function createContainerMemory(client: DockerClient) {
  const containers = new Map<string, Entry>();

  const refresh = async (id: string, known: Entry, signal: AbortSignal): Promise<void> => {
    const { startedAt } = known;
    known.isBusy = true;
    let bytes: number | undefined;
    try {
      const docker = await client.get();
      const options = { stream: false as const, 'one-shot': true, abortSignal: signal };
      bytes = toMemoryBytes(await docker.getContainer(id).stats(options));
    } catch {
      // No value now; the next inspection tries again.
    }
    known.isBusy = false;
    if (known.startedAt === startedAt) known.bytes = bytes;
  };

  return {
    /**
     * The bytes in use by a run of a container, as of the previous call. The engine takes up to a second per reading, so
     * the next reading starts now and is not waited for. Only for a new container is it waited for (`waited`), until the
     * signal aborts. Never rejects.
     */
    read: async (id: string, startedAt: number | undefined, signal: AbortSignal) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const known = containers.get(id) ?? { startedAt, bytes: undefined, isBusy: false };
      const isNew = !containers.delete(id);
      containers.set(id, known);
      for (const oldest of containers.keys()) {
        if (containers.size <= maxContainers) break;
        containers.delete(oldest);
      }
      if (known.startedAt !== startedAt) Object.assign(known, { startedAt, bytes: undefined });
      const { bytes } = known;
      if (isNew) await refresh(id, known, AbortSignal.any([signal, timeout]));
      else if (!known.isBusy) void refresh(id, known, timeout);
      return { bytes: isNew ? known.bytes : bytes, waited: isNew };
    },
  };
}
