import { formatDuration } from '../../../lib/duration.ts';
import { formatCount, listNames } from '../../../lib/words.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { ContainerSetup } from '../../../model/setup.ts';
import type { Target } from '../../../model/target.ts';
import { commandToRecreate, LOG_ROTATION, serviceOf } from '../../clients/commands-to-type.ts';
import type { SubnetView } from '../subnet-view.ts';

/** Docker should keep at least as much: some minutes of a busy node, which prints 5 kB a second (measured at level 4). */
const LEAST_BYTES = 1e6;
const BUSY_BYTES_PER_MS = 5;

/** A bootnode prints the pings that it receives from this level on (XDC-Subnet p2p/discover/udp.go: Trace). */
const PINGS_LEVEL = 5;

/** A target with how its container was made. */
interface Made {
  readonly target: Target;
  readonly container: ContainerSetup;
}

const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`;

/** A log of which Docker keeps less than some minutes. */
function findSmall({ target, container: { name: container, log } }: Made): Suspicion | undefined {
  const { fileBytes, files } = log.rotation ?? { fileBytes: LEAST_BYTES, files: 1 };
  const bytes = fileBytes * files;
  if (bytes >= LEAST_BYTES) return undefined;
  const { component, name, container: ref } = target;
  return {
    problem: 'log_rotation_small',
    component,
    name,
    summary: `Docker keeps too little of the log of ${name}`,
    evidence: `Docker keeps ${formatCount(files, 'file', 'files')} of ${formatBytes(fileBytes)} of ${container}, which a busy node fills in ${formatDuration(bytes / BUSY_BYTES_PER_MS)}`,
    fix: `write ${LOG_ROTATION} below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
    explains: [],
    causes: [],
  };
}

/** Logs that grow until the disk is full. */
function findEndless(made: readonly Made[]): readonly Suspicion[] {
  const endless = made.filter(({ container: { log } }) => log.driver === 'json-file' && log.rotation === undefined);
  if (endless.length === 0) return [];
  const names = endless.map(({ target }) => target.name);
  const [{ target } = { target: undefined }] = endless;
  return [
    {
      problem: 'log_rotation_missing',
      summary: 'Docker never throws log lines away, so they fill the disk',
      evidence: `the log driver json-file has no max-size for ${names.length} of ${made.length} containers: ${listNames(names)}`,
      fix: `write \`"log-opts": { "max-size": "20m", "max-file": "5" }\` into /etc/docker/daemon.json and restart Docker, or ${LOG_ROTATION} below each service in docker-compose.yml; then recreate each container, for ${target?.name}: ${commandToRecreate(target?.container)}`,
      explains: [],
      causes: [],
    },
  ];
}

/** A bootnode whose log does not show from which nodes it receives pings. */
function findQuiet({ target, container }: Made): Suspicion | undefined {
  const { component, name, container: ref } = target;
  const { verbosity } = container;
  if (component !== 'bootnode' || verbosity === undefined || verbosity >= PINGS_LEVEL) return undefined;
  return {
    problem: 'bootnode_log_quiet',
    component,
    name,
    summary: 'the log of the bootnode does not show whom it hears',
    evidence: `${container.name} runs with -verbosity ${verbosity}, and pings are printed from ${PINGS_LEVEL} on`,
    fix: `write \`command: ["-verbosity", "6", "-nodekey", "bootnode.key"]\` below ${serviceOf(ref, name)} in docker-compose.yml, and ${commandToRecreate(ref)}`,
    explains: [],
    causes: [],
  };
}

/** Logs of containers that show too little, lose lines, or fill the disk. */
export function findLogSetup({ targets }: SubnetView): readonly Suspicion[] {
  const made = targets.flatMap(({ state: { target }, setup: { container } }): readonly Made[] => {
    return container?.ok ? [{ target, container: container.value }] : [];
  });
  const found: Suspicion[] = [];
  for (const one of made) {
    const [small, quiet] = [findSmall(one), findQuiet(one)];
    if (small !== undefined) found.push(small);
    if (quiet !== undefined) found.push(quiet);
  }
  return [...found, ...findEndless(made)];
}
