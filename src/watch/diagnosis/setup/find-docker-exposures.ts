import { isLoopbackHost } from '../../../lib/is-loopback-host.ts';
import { formatEndpoint, type OpenDockerApi, toReach } from '../../../model/exposure.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { EngineSetup, SetupObservation } from '../../../model/setup.ts';
import { DEFAULT_ENGINE } from '../../../model/target.ts';
import type { SubnetView } from '../subnet-view.ts';

/** A Docker API that others than its own machine can use. */
interface Open {
  readonly evidence: string;
  readonly fix: string;
}

const hostOf = ({ url }: OpenDockerApi): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';

function describeOpen(engine: string, api: OpenDockerApi): Open {
  const { url, lacks } = api;
  const seen = `${engine} says that its API is open at ${url} without ${lacks}: whoever reaches that is root on its machine`;
  return lacks === 'encryption'
    ? {
        evidence: seen,
        fix: `take ${url.replace(/^http/, 'tcp')} out of -H in the unit docker.service and out of hosts in /etc/docker/daemon.json of its machine, restart Docker, and reach it by ssh`,
      }
    : {
        evidence: seen,
        fix: 'start dockerd with --tlsverify and --tlscacert, so that only your certificates are let in',
      };
}

function findOpen(name: string, { openApis = [], plainAt }: EngineSetup): readonly Open[] {
  const engine = name === DEFAULT_ENGINE ? 'the Docker Engine' : `the Docker Engine ${name}`;
  const found = openApis.filter((api) => !isLoopbackHost(hostOf(api))).map((api) => describeOpen(engine, api));
  if (found.length > 0) return found;
  // In a private network this may be a proxy that only reads; the engine itself says what it opens.
  if (plainAt === undefined || toReach(plainAt.ip) !== 'public') return [];
  return [
    {
      evidence: `${engine} answers subnetd at ${formatEndpoint(plainAt)}, a public address, without TLS: whoever reaches that can be root on its machine`,
      fix: 'close this port, and reach it by ssh or with certificates, by `docker:` in the inventory',
    },
  ];
}

/** Docker Engines of the subnet whose API others than their own machines can use. */
export function findDockerExposures(_: SubnetView, { engines }: SetupObservation): readonly Suspicion[] {
  const open = [...engines].flatMap(([name, read]) => (read.ok ? findOpen(name, read.value) : []));
  const [first] = open;
  if (first === undefined) return [];
  return [
    {
      problem: 'docker_exposed',
      summary: "Docker's API is open to others than its own machine",
      evidence: [...new Set(open.map(({ evidence }) => evidence))].join('; '),
      fix: [...new Set(open.map(({ fix }) => fix))].join('; '),
      explains: [],
      causes: [],
    },
  ];
}
