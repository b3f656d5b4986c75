import { toShellWord } from '../../lib/words.ts';
import type { DockerFault, SshFault } from '../../model/observation.ts';
import type { Finding } from '../../model/verdict.ts';
import { NO_DESCRIPTOR } from './explain-fault.ts';

/** The options of ssh and its tools for the server of an address such as `ssh://10.0.0.2:22`. */
function toSshWords(address: string) {
  const [, bracketed = '', plain = '', port = ''] = /^ssh:\/\/(?:\[(.*)\]|(.*)):(\d+)$/.exec(address) ?? [];
  const host = bracketed || plain;
  return { server: `-p ${port} ${toShellWord(host)}`, entry: toShellWord(port === '22' ? host : `[${host}]:${port}`) };
}

/** What is wrong on the way to an engine behind ssh, and what to do. */
const SSH_FAULTS: Readonly<Record<SshFault, (words: ReturnType<typeof toSshWords>) => Required<Finding>>> = {
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

/** How the connection to the engine fails; what was seen is the end of a sentence. */
function explainCode({ address, code }: DockerFault): Required<Finding> {
  const isSsh = address.startsWith('ssh:');
  switch (code) {
    case 'no-descriptor':
      return NO_DESCRIPTOR;
    case 'ENOENT':
      return {
        seen: 'there is no such socket',
        fix: 'install Docker or start it with `systemctl start docker`, or set docker.socketPath in the inventory to where it listens',
      };
    case 'EACCES':
      return {
        seen: 'permission denied',
        fix: 'let the user of subnetd into the group docker (`usermod -aG docker USER`, then restart subnetd), or point docker.host and docker.port in the inventory to a socket proxy',
      };
    case 'ECONNREFUSED':
      if (address.startsWith('unix:'))
        return {
          seen: 'nothing listens on the socket',
          fix: 'start Docker with `systemctl start docker`, and if it does not stay up read `journalctl -u docker`',
        };
      return {
        seen: 'the connection is refused',
        fix: isSsh
          ? 'start sshd on that machine, or correct the port of docker.ssh in the inventory'
          : 'start Docker or its socket proxy there, or correct docker.host and docker.port in the inventory',
      };
    case 'timeout':
      return {
        seen: 'it does not answer in time',
        fix: isSsh
          ? `see whether \`ssh ${toSshWords(address).server} docker ps\` answers, and read \`journalctl -u docker\` there`
          : `see whether \`docker -H ${toShellWord(address)} ps\` answers, and read \`journalctl -u docker\``,
      };
    case 'other':
      return isSsh
        ? {
            seen: 'what answers is not a Docker Engine, or breaks off',
            fix: `see what \`ssh ${toSshWords(address).server} docker ps -a\` says`,
          }
        : {
            seen: 'what answers is not a Docker Engine, or refuses',
            fix: `see what \`docker -H ${toShellWord(address)} ps -a\` says, and let a socket proxy allow GET for containers and events`,
          };
    default:
      return SSH_FAULTS[code](toSshWords(address));
  }
}

/** Why Docker cannot be asked, and what to do. */
export function explainDockerFault(fault: DockerFault): Required<Finding> {
  if (fault.answersOthers)
    return {
      seen: `Docker at ${fault.address} answers, but not about this container in time`,
      fix: 'see whether `docker inspect` of it hangs too; if it does, restart Docker',
    };
  const { seen, fix } = explainCode(fault);
  return {
    seen: `Docker cannot be asked at ${fault.address}${fault.code === 'no-descriptor' ? ':' : ','} ${seen}`,
    fix,
  };
}
