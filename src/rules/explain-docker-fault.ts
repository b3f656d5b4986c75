import type { DockerFault, SshFault } from '../model/observation.ts';
import { NO_DESCRIPTOR } from './explain-blind-fault.ts';

/** The options of ssh and its tools for the server of an address such as `ssh://10.0.0.2:22`. */
function toSshWords(address: string) {
  const [, bracketed = '', plain = '', port = ''] = /^ssh:\/\/(?:\[(.*)\]|(.*)):(\d+)$/.exec(address) ?? [];
  const host = bracketed || plain;
  return { server: `-p ${port} ${host}`, entry: port === '22' ? host : `'[${host}]:${port}'` };
}

/** What is wrong on the way to an engine behind ssh, and what to do. */
const SSH_FAULTS: Readonly<Record<SshFault, (words: ReturnType<typeof toSshWords>) => string>> = {
  'ssh-unreachable': ({ server }) =>
    `no ssh server answers; start sshd there, correct docker.ssh in the inventory, or find what is between with \`ssh -v ${server}\``,
  'ssh-unknown-host': ({ server }) =>
    `the host key of the ssh server is not in known_hosts; check \`ssh-keyscan ${server} | ssh-keygen -lf -\` against the key on that machine, then add what \`ssh-keyscan ${server}\` prints to the file of docker.knownHosts, or to ~/.ssh/known_hosts of the user of subnetd`,
  'ssh-changed-host': ({ entry }) =>
    `the host key of the ssh server is not the one in known_hosts, so somebody may be in between; only if the machine was set up again, remove the old key with \`ssh-keygen -R ${entry}\` and add the new one`,
  'ssh-no-key': () =>
    'there is no key to sign in with; set docker.identityFile in the inventory, or start subnetd with SSH_AUTH_SOCK',
  'ssh-bad-key': () =>
    'the private key of docker.identityFile cannot be used; give the user of subnetd the right to read it, and name the file with its passphrase in docker.passphraseFile if it has one',
  'ssh-no-agent': () =>
    'the ssh agent of SSH_AUTH_SOCK does not answer; start it and then subnetd, or set docker.identityFile in the inventory',
  'ssh-denied': () =>
    'the ssh server accepts no key of subnetd; add its public key to ~/.ssh/authorized_keys of the user there, or correct user and identityFile under docker in the inventory; it is tried again within 30 s',
  'ssh-no-program': ({ server }) =>
    `ssh works, but \`docker system dial-stdio\` does not run there; install the docker command on that machine and see what \`ssh ${server} docker version\` says; a command in authorized_keys must be exactly this one`,
  'ssh-no-right': () =>
    'the user of ssh may not use Docker on that machine; let it into the group docker there (`usermod -aG docker USER`)',
  'ssh-engine-down': () =>
    'ssh works, but Docker does not run on that machine; start it there with `systemctl start docker`, and if it does not stay up read `journalctl -u docker`',
};

/** Why Docker cannot be asked, and what to do. */
export function explainDockerFault({ address, code }: DockerFault): string {
  const start = `Docker cannot be asked at ${address}`;
  const isSocket = address.startsWith('unix:');
  const isSsh = address.startsWith('ssh:');
  if (code === 'no-descriptor') return `${start}: ${NO_DESCRIPTOR}`;
  if (code === 'ENOENT')
    return `${start}, there is no such socket; install Docker or start it with \`systemctl start docker\`, or set docker.socketPath in the inventory to where it listens`;
  if (code === 'EACCES')
    return `${start}, permission denied; let the user of subnetd into the group docker (\`usermod -aG docker USER\`, then restart subnetd), or point docker.host and docker.port in the inventory to a socket proxy`;
  if (code === 'ECONNREFUSED') {
    if (isSsh)
      return `${start}, the connection is refused; start sshd on that machine, or correct the port of docker.ssh in the inventory`;
    return isSocket
      ? `${start}, nobody listens on the socket; start Docker with \`systemctl start docker\`, and if it does not stay up read \`journalctl -u docker\``
      : `${start}, the connection is refused; start Docker or its socket proxy there, or correct docker.host and docker.port in the inventory`;
  }
  if (code === 'timeout')
    return isSsh
      ? `${start}, it does not answer in time; see whether \`ssh ${toSshWords(address).server} docker ps\` answers, and read \`journalctl -u docker\` there`
      : `${start}, it does not answer in time; see whether \`docker -H ${address} ps\` answers, and read \`journalctl -u docker\``;
  if (code === 'other')
    return isSsh
      ? `${start}, what answers is no Docker Engine or breaks off; see what \`ssh ${toSshWords(address).server} docker ps -a\` says`
      : `${start}, what answers is no Docker Engine or refuses; see what \`docker -H ${address} ps -a\` says, and let a socket proxy allow GET for containers and events`;
  return `${start}, ${SSH_FAULTS[code](toSshWords(address))}`;
}
