import { z } from 'zod';

/** A text that is not empty, such as a path; `what` names it in the error. */
export const text = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}, not empty`);

const CONTAINER_HELP = 'must be { project: …, service: … } (compose labels) or { name: … }';
const engineName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be a name such as machine1: a-z, 0-9, _ and -');
const engine = engineName.optional();

/** How a container is found. */
export const container = z.union(
  [
    z.strictObject({ project: text('a compose project'), service: text('a compose service'), engine }),
    z.strictObject({ name: text('a container name'), engine }),
  ],
  CONTAINER_HELP,
);

const DOCKER_HELP = 'must be { socketPath: … } or { host: …, port: … }';
const dockerAddress = [
  z.strictObject({ socketPath: text('the path of the Docker socket') }),
  z.strictObject({
    host: text('a host name'),
    port: z.number('must be a port').int('must be a port').min(1, 'must be a port').max(65535, 'must be a port'),
    ca: text('the path of a certificate').optional(),
    cert: text('the path of a certificate').optional(),
    key: text('the path of a key').optional(),
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
    'The Docker Engine: a socket, or a host and port. Certificates turn on TLS. Default: the socket /var/run/docker.sock.',
  );
