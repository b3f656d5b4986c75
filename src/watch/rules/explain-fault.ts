import { MAX_SOCKET_PATH_BYTES } from '../../lib/addresses.ts';
import { formatDuration } from '../../lib/duration.ts';
import { toShellWord } from '../../lib/words.ts';
import type { Client, ClientAdvice } from '../../model/client.ts';
import { explainAddress, NO_KEY, TOO_MANY } from '../../model/name-fault.ts';
import {
  type DockerFault,
  type ExecFault,
  type Fault,
  isOwnFault,
  type KnownRpcError,
  type SocketFault,
} from '../../model/observation.ts';
import type { Target } from '../../model/target.ts';
import { degraded, type Finding, fail, type Judgement, unknown } from '../../model/verdict.ts';
import { CLIENTS } from '../clients/clients.ts';
import { commandToCall, commandToSeeLog, RAISE_DESCRIPTORS } from '../clients/commands-to-type.ts';

/** Why an IPC socket cannot be used. `seeLog` is the command that shows the log of its node. */
const SOCKETS: Readonly<Record<SocketFault['state'], (fault: SocketFault, seeLog: string) => Required<Finding>>> = {
  missing: ({ path }, seeLog) => ({
    seen: `there is no socket ${path}`,
    fix: `correct ipc in the inventory, or start the node: ${seeLog}`,
  }),
  stale: ({ path }, seeLog) => ({
    seen: `nothing listens on the socket ${path} any more, as after a kill`,
    fix: `correct ipc in the inventory if the node runs, else start it: ${seeLog}`,
  }),
  'no-socket': ({ path }) => ({
    seen: `${path} is not a socket`,
    fix: 'correct ipc in the inventory, it usually ends in XDC.ipc',
  }),
  'too-long': ({ path }) => ({
    seen: `the path of the socket has ${Buffer.byteLength(path)} bytes and at most ${MAX_SOCKET_PATH_BYTES} can be used`,
    fix: 'move the folder of the deployment to a shorter path',
  }),
  denied: ({ path, owner, mode }) => ({
    seen: `subnetd may not open the socket ${path}${owner === undefined ? '' : ` (it belongs to ${owner}, mode ${mode})`}`,
    fix: 'run subnetd as its owner, or take ipc out of the inventory',
  }),
};

/** Without a fix, the log of the node shows more. */
const EXEC: Readonly<Record<ExecFault['why'], Finding>> = {
  docker: { seen: 'Docker cannot be asked to run `XDC attach`', fix: 'see the check container, which says why' },
  forbidden: {
    seen: 'Docker refuses to run `XDC attach`',
    fix: 'let the socket proxy allow POST and exec, or set consoleExec to false in the inventory',
  },
  'no-container': { seen: 'its container is not there', fix: 'see the check container, which says what to do' },
  'not-running': { seen: 'its container does not run', fix: 'see the check container, which says what to do' },
  'no-program': {
    seen: 'its container has no program XDC',
    fix: 'correct container in the inventory, or set consoleExec to false',
  },
  'no-attach': { seen: '`XDC attach` could not reach the process of the node, which is not running or hangs' },
  'still-running': {
    seen: 'the `XDC attach` of an earlier probe still hangs in its container',
    fix: 'restart the container if it stays so',
  },
  timeout: {
    seen: '`XDC attach` did not end in time',
    fix: 'raise checks.console.timeout, or restart the container if it stays so',
  },
  'too-large': { seen: '`XDC attach` printed more than it does in a healthy node' },
  'no-sense': {
    seen: 'what `XDC attach` printed makes no sense',
    fix: 'see whether what the container runs is a subnet node',
  },
};

/** What is wrong with subnetd itself; what was seen is the end of a sentence. */
export const NO_DESCRIPTOR: Required<Finding> = {
  seen: 'subnetd has run out of file descriptors',
  fix: `raise its limit ${RAISE_DESCRIPTORS}`,
};

const NOT_JSON: Readonly<Record<Exclude<(Fault & { kind: 'not-json' })['looksLike'], 'html'>, string>> = {
  cut: 'its answer is JSON that is cut off or broken',
  empty: 'it answered with an empty body',
  other: 'its answer is not JSON',
};

/** What an error of JSON-RPC means, of a node or of what answers in its place, and how to open the namespace of the method. */
const RPC_ERRORS: Readonly<Record<KnownRpcError, (open: string, advice: ClientAdvice) => Required<Finding>>> = {
  'method-not-found': (open) => ({
    seen: 'it does not serve the method',
    fix: `${open}, or correct consensus in the inventory`,
  }),
  'module-off': (open) => ({ seen: 'it does not serve the namespace of the method', fix: open }),
  'rate-limit': () => TOO_MANY,
  unauthorised: () => NO_KEY,
  crashed: () => ({
    seen: 'the method crashed inside the node',
    fix: 'read the stack in its log, and restart it if it has lost its state',
  }),
  'not-started': () => ({ seen: 'the node is just starting or stopping', fix: 'wait, and read its log if it lasts' }),
  'v1-block': () => ({
    seen: 'its chain is still before the switch to the second version of the consensus',
    fix: 'wait until it has passed the block of the switch',
  }),
  other: (_, advice) => ({ seen: 'the node could not carry out the call', fix: advice.findCallError }),
};

/** What else decides what to do about a fault: `namespace` is that of the RPC method, `seeLog` the command that shows the log. */
interface Asked {
  readonly target: Target;
  readonly namespace: string;
  readonly client: Client;
  readonly seeLog: string;
}

/** What tells by itself how to mend an address (`explainAddress`). */
type OfAddress = 'unresolved' | 'tls' | 'redirect' | 'not-http' | 'encoding';

type Explain<Kind> = (fault: Fault & { readonly kind: Kind }, asked: Asked) => Required<Finding>;

const FAULTS: { readonly [Kind in Exclude<Fault['kind'], OfAddress>]: Explain<Kind> } = {
  refused: ({ address }, { seeLog }) => ({
    seen: `nothing listens at ${address}`,
    fix: `start it if it does not run, or correct the address in the inventory, and ${seeLog}`,
  }),
  unreachable: ({ address, afterMs }) => ({
    seen: `${address} ${afterMs === undefined ? 'cannot be reached' : `has taken no connection within ${formatDuration(afterMs)}`}`,
    fix: 'check the route and the firewall between it and subnetd',
  }),
  closed: ({ address }, { seeLog }) => ({
    seen: `${address} closed the connection before its answer was whole`,
    fix: seeLog,
  }),
  timeout: ({ address, afterMs, received }, { seeLog }) => ({
    seen: `${address} ${received ? 'began an answer and did not end it' : 'did not answer'} within ${formatDuration(afterMs)}`,
    fix: `check ${received ? 'its load' : 'whether it hangs'}, and ${seeLog}`,
  }),
  'too-large': ({ maxBytes }, { target }) => ({
    seen: `its answer is larger than ${maxBytes / 1024 / 1024} MiB`,
    fix: `correct the address in the inventory, because what answers there is not a healthy ${target.component}`,
  }),
  status: ({ status }, { seeLog }) => ({ seen: `it answered HTTP ${status}`, fix: seeLog }),
  file: ({ setting, path, why }) => ({
    seen: `${setting} in the inventory names ${path}, which ${why}`,
    fix: 'correct its path, its mode or its content',
  }),
  'no-descriptor': () => NO_DESCRIPTOR,
  'not-json': ({ looksLike }, { seeLog }) => ({
    seen: NOT_JSON[looksLike as keyof typeof NOT_JSON],
    fix: `correct the address in the inventory, or ${seeLog}`,
  }),
  envelope: ({ what }) => ({ seen: `its answer is not JSON-RPC: ${what}`, fix: 'check what listens at this address' }),
  'rpc-error': ({ code, known }, { client: { advice }, namespace, target }) => {
    const { seen, fix } = RPC_ERRORS[known](advice.openNamespace(namespace, target), advice);
    return { seen: `it answered with the JSON-RPC error ${code}: ${seen}`, fix };
  },
  result: ({ what }) => ({
    seen: `its answer makes no sense: ${what}`,
    fix: 'check what listens at this address and its version',
  }),
  'no-committed': (_, { seeLog }) => ({
    seen: 'it knows no committed block yet, as after a start',
    fix: `wait a minute after its start; if other nodes commit blocks then, restart it when that is safe, and ${seeLog}`,
  }),
  'result-error': (_, { client, namespace }) => {
    const { method, params } = client.calls(namespace).latest;
    return {
      seen: 'its answer hides an error inside a successful result',
      fix: `run \`${commandToCall('RPC_ADDRESS', method, JSON.stringify(params))}\` to see it`,
    };
  },
  body: ({ what }, { target, seeLog }) => ({
    seen: `its answer is not that of a healthy ${target.component}: ${what}`,
    fix: seeLog,
  }),
  socket: (fault, { seeLog }) => SOCKETS[fault.state](fault, seeLog),
  exec: ({ why }, { seeLog }) => ({ fix: seeLog, ...EXEC[why] }),
};

/** Explains a fault; what was seen ends a sentence about the target. `namespace` is that of the RPC method. */
export function explainFault(
  fault: Fault,
  target: Target,
  namespace = '',
  client: Client = CLIENTS['xdc-subnet'],
): Required<Finding> {
  // Each entry is only given the fault of its kind, which the compiler does not see.
  const explain = FAULTS[fault.kind as keyof typeof FAULTS] as Explain<Fault['kind']>;
  const asked = { target, namespace, client, seeLog: commandToSeeLog(target) };
  const found = explainAddress(fault) ?? explain(fault, asked);
  return fault.kind === 'status' && fault.refusesHost ? { ...found, fix: client.advice.acceptHosts } : found;
}

/** Fails a target for a fault, after words such as "n1 did not return its peers", unless subnetd itself cannot see it. */
export function judgeFault(what: string, fault: Fault, target: Target, namespace?: string, client?: Client): Judgement {
  const { seen, fix } = explainFault(fault, target, namespace, client);
  if (!isOwnFault(fault)) return fail(`${what}: ${seen}`, fix);
  const blind = fault.kind === 'socket' ? degraded : unknown;
  return blind(`nothing is seen of ${target.name}: ${seen}`, fix);
}

/** The address of an engine as it is typed: for ssh and its tools, that of a server such as `ssh://10.0.0.2:22`. */
function toWords({ address }: DockerFault) {
  const [, bracketed = '', plain = '', port = ''] = /^ssh:\/\/(?:\[(.*)\]|(.*)):(\d+)$/.exec(address) ?? [];
  const host = bracketed || plain;
  const server = `-p ${port} ${toShellWord(host)}`;
  const isSsh = address.startsWith('ssh:');
  return {
    ...{ isSsh, isSocket: address.startsWith('unix:'), server },
    entry: toShellWord(port === '22' ? host : `[${host}]:${port}`),
    docker: isSsh ? `ssh ${server} docker` : `docker -H ${toShellWord(address)}`,
  };
}

/** How the connection to the engine fails; what was seen is the end of a sentence. */
const DOCKER_FAULTS: Readonly<Record<DockerFault['code'], (words: ReturnType<typeof toWords>) => Required<Finding>>> = {
  'no-descriptor': () => NO_DESCRIPTOR,
  ENOENT: () => ({
    seen: 'there is no such socket',
    fix: 'install Docker or start it with `systemctl start docker`, or set docker.socketPath in the inventory to where it listens',
  }),
  EACCES: () => ({
    seen: 'permission denied',
    fix: 'let the user of subnetd into the group docker (`usermod -aG docker USER`, then restart subnetd), or point docker.host and docker.port in the inventory to a socket proxy',
  }),
  ECONNREFUSED: ({ isSocket, isSsh }) => ({
    seen: isSocket ? 'nothing listens on the socket' : 'the connection is refused',
    fix: isSocket
      ? 'start Docker with `systemctl start docker`, and if it does not stay up read `journalctl -u docker`'
      : isSsh
        ? 'start sshd on that machine, or correct the port of docker.ssh in the inventory'
        : 'start Docker or its socket proxy there, or correct docker.host and docker.port in the inventory',
  }),
  timeout: ({ docker, isSsh }) => ({
    seen: 'it does not answer in time',
    fix: `see whether \`${docker} ps\` answers, and read \`journalctl -u docker\`${isSsh ? ' there' : ''}`,
  }),
  other: ({ docker, isSsh }) => ({
    seen: `what answers is not a Docker Engine, or ${isSsh ? 'breaks off' : 'refuses'}`,
    fix: `see what \`${docker} ps -a\` says${isSsh ? '' : ', and let a socket proxy allow GET for containers and events'}`,
  }),
  'ssh-unreachable': ({ server }) => ({
    seen: 'no ssh server answers',
    fix: `start sshd there, correct docker.ssh in the inventory, or find what blocks the way with \`ssh -v ${server}\``,
  }),
  'ssh-unknown-host': ({ server }) => ({
    seen: 'the host key of the ssh server is not in known_hosts',
    fix: `check \`ssh-keyscan ${server} | ssh-keygen -lf -\` against the key on that machine, then add what \`ssh-keyscan ${server}\` prints to the file of docker.knownHosts, or to ~/.ssh/known_hosts of the user of subnetd`,
  }),
  'ssh-changed-host': ({ entry }) => ({
    seen: 'the host key of the ssh server is not the one in known_hosts, so someone may be intercepting the connection',
    fix: `only if the machine was set up again, remove the old key with \`ssh-keygen -R ${entry}\` and add the new one`,
  }),
  'ssh-no-key': () => ({
    seen: 'there is no key to sign in with',
    fix: 'set docker.identityFile in the inventory, or start subnetd with SSH_AUTH_SOCK',
  }),
  'ssh-bad-key': () => ({
    seen: 'the private key of docker.identityFile cannot be used',
    fix: 'give the user of subnetd the right to read it, and name the file with its passphrase in docker.passphraseFile if it has one',
  }),
  'ssh-no-agent': () => ({
    seen: 'the ssh agent of SSH_AUTH_SOCK does not answer',
    fix: 'start it and then subnetd, or set docker.identityFile in the inventory',
  }),
  'ssh-denied': () => ({
    seen: 'the ssh server accepts no key of subnetd',
    fix: 'add its public key to ~/.ssh/authorized_keys of the user there, or correct user and identityFile under docker in the inventory; it is tried again within 30 s',
  }),
  'ssh-no-program': ({ server }) => ({
    seen: 'ssh works, but `docker system dial-stdio` does not run there',
    fix: `install the docker command on that machine and see what \`ssh ${server} docker version\` says; a command in authorized_keys must be exactly this one`,
  }),
  'ssh-no-right': () => ({
    seen: 'the user of ssh may not use Docker on that machine',
    fix: 'let it into the group docker there (`usermod -aG docker USER`)',
  }),
  'ssh-engine-down': () => ({
    seen: 'ssh works, but Docker does not run on that machine',
    fix: 'start it there with `systemctl start docker`, and if it does not stay up read `journalctl -u docker`',
  }),
};

export function explainDockerFault(fault: DockerFault): Required<Finding> {
  if (fault.answersOthers)
    return {
      seen: `Docker at ${fault.address} answers, but not about this container in time`,
      fix: 'wait a moment, as its machine may be busy; if `docker inspect` of it hangs too, restart Docker, which ends all containers unless live-restore is set',
    };
  const { seen, fix } = DOCKER_FAULTS[fault.code](toWords(fault));
  const mark = fault.code === 'no-descriptor' ? ':' : ',';
  return { seen: `Docker cannot be asked at ${fault.address}${mark} ${seen}`, fix };
}
