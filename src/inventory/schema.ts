import { z } from 'zod';
import { compileRe2 } from '../compile-re2.ts';
import { comesUp, DURATION, isCron, isDuration, isEvery } from './schedule.ts';

const DURATION_HELP = 'must be a duration such as 500ms, 10s, 5m or 1h, at most 24h';
const duration = z
  .string(DURATION_HELP)
  .regex(DURATION, { error: DURATION_HELP, abort: true })
  .refine(isDuration, DURATION_HELP);

const SCHEDULE_HELP = "must be 'every DURATION' (every 10s) or a cron expression of six fields in UTC (*/10 * * * * *)";
const schedule = (fallback: string) =>
  z
    .string(SCHEDULE_HELP)
    .refine((text) => isEvery(text) || isCron(text), { error: SCHEDULE_HELP, abort: true })
    .refine((text) => isEvery(text) || comesUp(text), 'names a time that never comes; correct its day and month')
    .default(fallback);

const text = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}, not empty`);

const isUrl = (value: string, protocols: readonly string[]): boolean => {
  const url = URL.parse(value);
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '';
};

const url = (protocols: readonly string[], example: string) =>
  z
    .string(`must be a URL such as ${example}`)
    .refine((value) => isUrl(value, protocols), `must be a URL such as ${example}`)
    .meta({ format: 'uri' });

const httpUrl = (example: string) => url(['http:', 'https:'], example);

const NAME_HELP = 'must be a name: up to 100 printable characters without blanks at its ends';
const name = z
  .string(NAME_HELP)
  .refine((value) => /^[^\p{C}\p{Z}](?:[^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u.test(value), NAME_HELP);

const count = (what: string) =>
  z
    .number(`must be ${what}`)
    .int(`must be ${what}`)
    .min(0, `must be ${what}`)
    .max(1_000_000, `must be ${what}, at most 1000000`);

const flag = (fallback: boolean) => z.boolean('must be true or false').default(fallback);

const CONTAINER_HELP = 'must be { project: …, service: … } (compose labels) or { name: … }';
const container = z.union(
  [
    z.strictObject({ project: text('a compose project'), service: text('a compose service') }),
    z.strictObject({ name: text('a container name') }),
  ],
  CONTAINER_HELP,
);

const isTimezone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

const LOG_FILE_HELP = 'must be a path, or { path: …, timezone: … }';
const logFiles = z
  .array(
    z.union(
      [
        text('a path'),
        z.strictObject({
          path: text('a path'),
          timezone: z.string().refine(isTimezone, 'must be an IANA time zone such as Asia/Dubai').default('UTC'),
        }),
      ],
      LOG_FILE_HELP,
    ),
    'must be a list of paths',
  )
  .default([]);

/** The groups of a pattern by name; undefined when RE2, which runs it in bounded time, cannot. */
const groupsOf = (source: string): readonly string[] | undefined => {
  try {
    return Object.keys(compileRe2(source).namedGroups());
  } catch {
    return undefined;
  }
};

const PATTERN_HELP = 'must be a regular expression of RE2, which has no look-around and no back-references';
const patterns = z
  .array(
    z
      .strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be a name such as disk_full: a-z, 0-9 and _'),
        match: z
          .string()
          .min(1)
          .max(1000)
          .refine((source) => groupsOf(source) !== undefined, PATTERN_HELP),
        means: z.enum(['progress', 'error', 'fatal'], 'must be progress, error or fatal'),
        value: z.string().min(1).optional(),
      })
      .refine(({ match, value }) => value === undefined || groupsOf(match)?.includes(value) !== false, {
        path: ['value'],
        error: 'must be the name of a group (?<name>…) in match',
      }),
    'must be a list of patterns',
  )
  .default([]);

const component = {
  container: container.optional().describe('The container it runs in, by compose labels or by name.'),
  logFiles: logFiles.describe('Log files or globs of them; times in them that carry no zone are in `timezone`.'),
  patterns: patterns.describe('Log patterns of your own beside those that subnetd brings.'),
};

const node = z.strictObject({
  name: name.describe('The name in labels, on pages and in alerts.'),
  rpc: httpUrl('http://127.0.0.1:8545')
    .optional()
    .describe('JSON-RPC over HTTP. User info is sent as basic authentication and shown nowhere.'),
  ipc: text('the path of the IPC socket')
    .optional()
    .describe('The IPC socket, for what HTTP does not serve, or alone.'),
  ...component,
  consoleExec: flag(false).describe('Console checks by `docker exec`; needs rights that equal root on the host.'),
  p2p: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:]+):\d{1,5}$/, 'must be host:port such as 192.168.25.11:20303')
    .optional()
    .describe('Where the bootnode sees the node.'),
  expectedPeers: count('a number of peers')
    .optional()
    .describe('How many peers the node should have; by default the number of nodes minus one.'),
});

const service = (example: string) =>
  z.strictObject({ ...component, url: httpUrl(example).optional().describe('Where it answers HTTP.') });

const reader = (example: string) =>
  service(example).extend({
    readsFrom: name
      .optional()
      .describe('The node that its SUBNET_URL names, whose fall explains its own; by default the first of the subnet.'),
  });

const browser = z.union(
  [
    z.strictObject({ executablePath: text('the path of a Chromium') }),
    z.strictObject({ cdpUrl: url(['http:', 'https:', 'ws:', 'wss:'], 'http://127.0.0.1:9222') }),
  ],
  'must be { executablePath: … } or { cdpUrl: … }',
);

const checks = z.strictObject({
  rpc: z
    .strictObject({
      schedule: schedule('every 10s').describe('When nodes are asked by JSON-RPC.'),
      timeout: duration.default('5s').describe('Bounds one look at a node, however slowly it answers.'),
      stallAfter: duration.default('60s').describe('A height that has not risen for so long fails.'),
      maxLag: count('a number of blocks').default(10).describe('More blocks than this below the highest node fail.'),
      enabled: flag(true).describe('Whether nodes are asked by JSON-RPC at all.'),
    })
    .prefault({}),
  containers: z
    .strictObject({
      schedule: schedule('every 10s').describe('When Docker is asked about containers; events come at once besides.'),
      timeout: duration.default('5s').describe('Bounds one question to Docker.'),
    })
    .prefault({}),
  services: z
    .strictObject({
      schedule: schedule('every 30s').describe('When relayer, stats server and frontend are asked by HTTP.'),
      timeout: duration.default('10s').describe('Bounds one look at a service.'),
    })
    .prefault({}),
  logs: z
    .strictObject({
      schedule: schedule('every 10s').describe('When what the logs told is judged.'),
      bootnodeWindow: duration.default('10m').describe('Every node has to be heard by the bootnode within it.'),
      submissionsWithin: duration
        .optional()
        .describe('By default what the mode of the relayer allows: full 5m, lite 45m.'),
      blockDataWithin: duration.default('2m').describe('The stats server has to receive a block within it.'),
      errorWindow: duration
        .default('5m')
        .describe('For so long an error, and a restart of a container, fails its check.'),
    })
    .prefault({}),
  console: z
    .strictObject({
      schedule: schedule('every 5m').describe('When consoles are asked.'),
      timeout: duration.default('30s').describe('Bounds one visit.'),
    })
    .prefault({}),
});

const subnet = z.strictObject({
  name: name.describe('The name in the label `subnet`.'),
  consensus: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be the prefix of the RPC methods, such as XDPoS')
    .default('XDPoS')
    .describe('The prefix of the consensus engine in RPC methods: XDPoS_getV2BlockByNumber.'),
  nodes: z
    .array(node, 'must be a list of nodes')
    .min(1, 'must list at least one node')
    .describe('The nodes; each needs at least one of rpc, ipc and container.'),
  bootnode: z.strictObject(component).optional(),
  relayer: reader('http://127.0.0.1:5215').optional(),
  stats: reader('http://127.0.0.1:5213').optional(),
  frontend: z
    .strictObject({
      ...component,
      url: httpUrl('http://127.0.0.1:5214').optional().describe('Where it answers HTTP.'),
      browser: browser.optional().describe('The Chromium that opens the page, started here or reached by its address.'),
    })
    .optional(),
  checks: checks.prefault({}),
});

const docker = z
  .union(
    [
      z.strictObject({ socketPath: text('the path of the Docker socket') }),
      z.strictObject({
        host: text('a host name'),
        port: z.number('must be a port').int('must be a port').min(1, 'must be a port').max(65535, 'must be a port'),
        ca: text('the path of a certificate').optional(),
        cert: text('the path of a certificate').optional(),
        key: text('the path of a key').optional(),
      }),
    ],
    'must be { socketPath: … } or { host: …, port: … }',
  )
  .default({ socketPath: '/var/run/docker.sock' })
  .describe('Where the Docker Engine answers: a socket, or a host and port, with TLS when certificates are given.');

const isBase = (value: string): boolean => {
  const parsed = URL.parse(value);
  return parsed === null || (parsed.search === '' && parsed.hash === '');
};

const alertmanager = z
  .strictObject({
    urls: z
      .array(
        httpUrl('http://127.0.0.1:9093').refine(isBase, 'must be the address alone, without ? and #'),
        'must be a list of URLs',
      )
      .default([])
      .describe(
        'Each Alertmanager that is told of alerts, never a load balancer before them; push is off without one. User info is sent as basic authentication; it and the path, which may hold a token, are shown nowhere.',
      ),
    basicAuth: z
      .strictObject({ username: text('a user name'), passwordFile: text('the path of a file') })
      .optional()
      .describe('Basic authentication; the password is the content of the file.'),
    bearerTokenFile: text('the path of a file').optional().describe('A file with a token that is sent as `Bearer`.'),
    tls: z
      .strictObject({
        ca: text('the path of a certificate').optional(),
        cert: text('the path of a certificate').optional(),
        key: text('the path of a key').optional(),
        serverName: text('a host name').optional(),
      })
      .optional()
      .describe(
        'PEM files: whom to trust instead of the usual authorities, and the certificate and key to show; the name that the certificate must carry when it is not the host.',
      ),
  })
  .prefault({});

/** The inventory as a person writes it; the JSON Schema for editors is made from it. */
export const inventorySchema = z
  .strictObject({
    subnets: z.array(subnet, 'must be a list of subnets').min(1, 'must list at least one subnet'),
    docker,
    alertmanager,
  })
  .meta({ title: 'subnetd inventory' });

/** The inventory's document after defaults. */
export type InventoryDocument = z.output<typeof inventorySchema>;
