import { listEach } from '../../../lib/words.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { ContainerSetup, PublishedPort } from '../../../model/setup.ts';
import type { Target } from '../../../model/target.ts';
import { commandToRecreate, serviceOf } from '../../clients/commands-to-type.ts';
import type { SubnetView } from '../subnet-view.ts';

/** A port that is open to everybody who reaches the machine, and what answers there. */
interface OpenPort extends PublishedPort {
  readonly what: string;
}

/** A target with its open ports. */
interface Open {
  readonly target: Target;
  readonly ports: readonly OpenPort[];
}

const portOf = (address: string | undefined): number | undefined =>
  address === undefined ? undefined : Number(URL.parse(address)?.port);

/** What answers at a port that not everybody should reach; else undefined. The p2p port must be open, and the frontend is for people. */
function nameGuarded(target: Target, { ports }: ContainerSetup, { containerPort, hostPort }: PublishedPort) {
  switch (target.component) {
    case 'node': {
      if (containerPort === ports.p2p) return undefined;
      if (containerPort === ports.ws) return 'WebSocket';
      return containerPort === ports.rpc || hostPort === portOf(target.rpc) ? 'RPC' : undefined;
    }
    case 'relayer':
      return 'the page of the relayer';
    case 'stats':
      return 'the stats server';
    default:
      return undefined;
  }
}

function findOpen(target: Target, container: ContainerSetup): readonly OpenPort[] {
  const open = new Map<number, OpenPort>();
  for (const port of container.published) {
    const what = ['0.0.0.0', '::'].includes(port.hostIp) ? nameGuarded(target, container, port) : undefined;
    if (what !== undefined && port.protocol === 'tcp') open.set(port.hostPort, { ...port, what });
  }
  return [...open.values()];
}

const describeOpen = ({ target, ports }: Open): string =>
  `${target.name} (${ports.map(({ hostPort, what }) => `${hostPort}, ${what}`).join('; ')})`;

/** Ports of nodes, relayer and stats server that Docker publishes on all addresses of their machines. */
export function findPublishedPorts({ targets }: SubnetView): readonly Suspicion[] {
  const open = targets.flatMap(({ state: { target }, setup: { container } }): readonly Open[] => {
    const ports = container?.ok ? findOpen(target, container.value) : [];
    return ports.length === 0 ? [] : [{ target, ports }];
  });
  const [first] = open;
  const [port] = first?.ports ?? [];
  if (first === undefined || port === undefined) return [];
  const { name, container } = first.target;
  const line = `${port.hostPort}:${port.containerPort}`;
  return [
    {
      problem: 'ports_published',
      summary: 'Docker publishes ports to everybody who reaches its machine',
      evidence: `published on all addresses: ${listEach(open, describeOpen)}`,
      fix: `below \`ports:\` in docker-compose.yml write the address before the port, for ${serviceOf(container, name)} \`127.0.0.1:${line}\` in place of \`${line}\`, or the address of a private network, and ${commandToRecreate(container)}; a firewall such as ufw does not stop what Docker publishes`,
      explains: [],
      causes: [],
    },
  ];
}
