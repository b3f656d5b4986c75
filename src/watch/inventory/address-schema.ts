import { z } from 'zod';
import { findUrlFault } from '../../lib/addresses.ts';

const isUrl = (value: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(value);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
};

/** A URL with one of these protocols, each with its colon; the example is in the error. `mayHoldAt` as in `findUrlFault`. */
export const url = (protocols: readonly string[], example: string, mayHoldAt = false) => {
  // A URL that begins so has a host. To ask only whether it is one takes a third of the time.
  const usual = new RegExp(`^(?:${protocols.join('|')})//`);
  const help = `must be a URL such as ${example}`;
  return z
    .string(help)
    .superRefine((value, { addIssue }) => {
      const isGood = usual.test(value) ? URL.canParse(value) : isUrl(value, protocols);
      const fault = findUrlFault(value, mayHoldAt);
      if (!isGood) addIssue(fault === undefined ? help : `${help}; ${fault}`);
      else if (fault !== undefined) addIssue(fault);
    })
    .meta({ format: 'uri' });
};

/** A URL of HTTP. */
export const httpUrl = (example: string) => url(['http:', 'https:'], example);

/** A text that is not empty, such as a path; `what` names it in the error. */
export const text = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}, not empty`);

const CONTAINER_HELP = 'must be { project: …, service: … } (compose labels) or { name: … }';
const engineName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be a name such as machine1: a-z, 0-9, _ and -');
const engine = engineName.optional();

/** What Docker and Compose accept as names (daemon/names, compose-spec schema); the names reach commands to copy. */
const containerName = z
  .string('must be a container name')
  .regex(/^\/?[a-zA-Z0-9][\w.-]*$/, 'must be a container name: a-z, A-Z, 0-9, _, . and -');
const project = z
  .string('must be a compose project')
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be a compose project: a-z, 0-9, _ and -');
const service = z
  .string('must be a compose service')
  .regex(/^[\w.][\w.-]*$/, 'must be a compose service: a-z, A-Z, 0-9, _, . and -');

/** How a container is found. */
export const container = z.union(
  [z.strictObject({ project, service, engine }), z.strictObject({ name: containerName, engine })],
  CONTAINER_HELP,
);

const SSH_HELP = 'must be an address such as ssh://user@host or ssh://user@host:22, without a password or path';
const SSH_ADDRESS = /^(?:ssh:\/\/)?(\w[\w.-]*)@(?:\[([\da-f:.]+)\]|(\w[\w.-]*))(?::(\d{1,5}))?$/i;

/** User, host and port of an address such as `ssh://user@host:22`; undefined when it is none. */
export function parseSshAddress(address: string) {
  const [, user, ip, name, digits = '22'] = SSH_ADDRESS.exec(address) ?? [];
  const [host, port] = [ip ?? name, Number(digits)];
  return user === undefined || host === undefined || port < 1 || port > 65535 ? undefined : { user, host, port };
}

const DOCKER_HELP = 'must be { socketPath: … }, { host: …, port: … } or { ssh: user@host }';
const dockerAddress = [
  z.strictObject({ socketPath: text('the path of the Docker socket') }),
  z.strictObject({
    host: text('a host name'),
    port: z.number('must be a port').int('must be a port').min(1, 'must be a port').max(65535, 'must be a port'),
    ca: text('the path of a certificate').optional(),
    cert: text('the path of a certificate').optional(),
    key: text('the path of a key').optional(),
  }),
  z.strictObject({
    ssh: z.string(SSH_HELP).refine((address) => parseSshAddress(address) !== undefined, SSH_HELP),
    identityFile: text('the path of a private key').optional(),
    passphraseFile: text('the path of a file with a passphrase').optional(),
    knownHosts: text('the path of a known_hosts file').optional(),
  }),
] as const;

/** Where Docker Engines answer: one, or several by name. */
export const docker = z
  .union(
    [
      ...dockerAddress,
      z.strictObject({
        engines: z
          .record(engineName, z.union(dockerAddress, DOCKER_HELP), 'must be a mapping of names to addresses')
          .refine((engines) => Object.keys(engines).length > 0, 'must name at least one engine')
          .describe(
            'Several engines by name, each as above. Each `container` names its `engine`; without one it is on `default`.',
          ),
      }),
    ],
    `${DOCKER_HELP}, or { engines: … } with several`,
  )
  .default({ socketPath: '/var/run/docker.sock' })
  .describe(
    'The Docker Engine: a socket; a host and port, with TLS if there are certificates; or ssh. Default: the socket /var/run/docker.sock.',
  );
