import { z } from 'zod';
import { CLIENT_NAMES, EXPORTER_KINDS } from '../../model/target.ts';
import { compileRe2 } from '../logs/match/compile-own-pattern.ts';
import { container, docker, httpUrl, text, url } from './address-schema.ts';
import { maintenance } from './maintenance-schema.ts';
import { heartbeat, notify } from './notify-schema.ts';
import { comesUp, DURATION, isCron, isDuration, isEvery } from './schedule.ts';

const DURATION_HELP = 'must be a duration such as 500ms, 10s, 5m or 1h, at most 24h';
const duration = z
  .string(DURATION_HELP)
  .regex(DURATION, { error: DURATION_HELP, abort: true })
  .refine(isDuration, DURATION_HELP);

const STALL_HELP = `${DURATION_HELP}, or auto`;

const SCHEDULE_HELP = "must be 'every DURATION' (every 10s) or a cron expression of six fields in UTC (*/10 * * * * *)";
const schedule = (fallback: string) =>
  z
    .string(SCHEDULE_HELP)
    .refine((text) => isEvery(text) || isCron(text), { error: SCHEDULE_HELP, abort: true })
    .refine((text) => isEvery(text) || comesUp(text), 'names a time that never comes; correct its day and month')
    .default(fallback);

const NAME_HELP = 'must be a name: up to 100 printable characters without blanks at its ends';
const name = z
  .string(NAME_HELP)
  .refine((value) => /^[^\p{C}\p{Z}](?:[^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u.test(value), NAME_HELP);

const region = name
  .refine(
    (value) => !value.includes(','),
    'must not contain a comma, because `subnetd whatif stop` takes several with commas between them',
  )
  .optional()
  .describe(
    'Where it runs, such as eu. `subnetd whatif stop region:eu` says what happens if all of that region stops.',
  );

const count = (what: string) =>
  z
    .number(`must be ${what}`)
    .int(`must be ${what}`)
    .min(0, `must be ${what}`)
    .max(1_000_000, `must be ${what}, at most 1000000`);

const flag = (fallback: boolean) => z.boolean('must be true or false').default(fallback);

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

/** The group names of a pattern; undefined if RE2, which runs patterns in bounded time, refuses it. */
const groupsOf = (source: string): readonly string[] | undefined => {
  try {
    return Object.keys(compileRe2(source).namedGroups());
  } catch {
    return undefined;
  }
};

const PATTERN_HELP = 'must be an RE2 regular expression, without look-around or back-references';
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
  region,
  container: container.optional().describe('The container of the program, by compose labels or by name.'),
  logFiles: logFiles.describe('Log files, or globs. Times without a zone are in `timezone`.'),
  patterns: patterns.describe('Your own log patterns, added to the built-in ones.'),
};

const basicAuth = z
  .strictObject({ username: text('a user name'), passwordFile: text('the path of a file') })
  .optional()
  .describe('Basic authentication. The password is the content of the file.');

const tls = z
  .strictObject({
    ca: text('the path of a certificate').optional(),
    cert: text('the path of a certificate').optional(),
    key: text('the path of a key').optional(),
    serverName: text('a host name').optional(),
  })
  .optional()
  .describe(
    'PEM files: `ca` replaces the usual authorities, `cert` and `key` identify subnetd. `serverName` is the name in the server certificate, if it is not the host.',
  );

/** An address that is given to Prometheus, which takes no password from it. */
const metricsUrl = (example: string) =>
  httpUrl(example).refine(
    (value) => !/^https?:\/\/[^/?#]*@/.test(value),
    'must hold no user info; name it in the scrape configuration of Prometheus',
  );

const KIND_HELP = `must be one of ${EXPORTER_KINDS.join(', ')}`;
const exporters = z
  .array(
    z.strictObject({
      kind: z.enum(EXPORTER_KINDS, KIND_HELP).describe('What it is, which becomes the label `component`.'),
      name: name.describe('The name of its machine, which becomes the label `name`.'),
      url: metricsUrl('http://machine1:9100').describe('Where it serves its metrics. Default path: /metrics.'),
    }),
    'must be a list of exporters',
  )
  .default([])
  .describe('Exporters of the machines of this subnet, for Prometheus to discover. subnetd does not ask them itself.');

const node = z.strictObject({
  name: name.describe('The name in labels, on pages and in alerts.'),
  rpc: httpUrl('http://127.0.0.1:8545')
    .optional()
    .describe('JSON-RPC over HTTP. User info is sent as basic authentication and never shown.'),
  basicAuth,
  tls,
  metrics: metricsUrl('http://127.0.0.1:6060')
    .optional()
    .describe(
      "The node's own metrics endpoint, for Prometheus to discover. Default path: that of its client, /debug/metrics/prometheus, or /metrics for Nethermind.",
    ),
  ipc: text('the path of the IPC socket')
    .optional()
    .describe('The IPC socket: alone, or for what HTTP does not serve.'),
  ...component,
  client: z
    .enum(['auto', ...CLIENT_NAMES])
    .default('auto')
    .describe('The client that the node runs. Default: what the node reports.'),
  consoleExec: flag(false).describe(
    'Probe a node without rpc and ipc by `XDC attach` in its container. The `docker exec` it needs is equivalent to root on the host.',
  ),
  listWallets: flag(false).describe(
    'Ask for `personal_listWallets` once an hour, to see whether an account is unlocked. Nothing else of the answer is kept.',
  ),
  p2p: z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:]+):\d{1,5}$/, 'must be host:port such as 192.168.25.11:20303')
    .optional()
    .describe('The address at which the bootnode sees the node.'),
  expectedPeers: count('a number of peers')
    .optional()
    .describe('Expected number of peers. Default: the number of nodes minus one.'),
});

const service = (example: string) =>
  z.strictObject({ ...component, url: httpUrl(example).optional().describe('The HTTP address of the service.') });

const reader = (example: string) =>
  service(example).extend({
    readsFrom: name
      .optional()
      .describe(
        'The node that its SUBNET_URL names. If that node is down, its failure explains this one. Default: the first node.',
      ),
  });

const browser = z.union(
  [
    z.strictObject({ executablePath: text('the path of a Chromium') }),
    z.strictObject({ cdpUrl: url(['http:', 'https:', 'ws:', 'wss:'], 'http://127.0.0.1:9222') }),
  ],
  'must be { executablePath: … } or { cdpUrl: … }',
);

const ADDRESS_HELP = "must be an address in quotes, such as '0x…' or 'xdc…' with 40 hexadecimal digits";
const chainAddress = z.string(ADDRESS_HELP).regex(/^(?:0x|xdc)[0-9a-fA-F]{40}$/, ADDRESS_HELP);

const parentChain = z.strictObject({
  rpc: httpUrl('https://rpc.example.com').describe(
    'JSON-RPC of the parent chain. Its user info and path, which may hold a token, are never shown.',
  ),
  contract: chainAddress.optional().describe('The checkpoint contract on the parent chain; subnetd watches it.'),
  wallet: chainAddress.optional().describe('The wallet of the relayer.'),
  zeroContract: chainAddress
    .optional()
    .describe('The endpoint of XDC-Zero on the parent chain (`PARENTNET_ZERO_CONTRACT`).'),
  subnetZeroContract: chainAddress
    .optional()
    .describe('The endpoint of XDC-Zero on the subnet (`SUBNET_ZERO_CONTRACT`).'),
  reverseContract: chainAddress
    .optional()
    .describe('The checkpoint contract on the subnet, for the parent chain (`REVERSE_CHECKPOINT_CONTRACT`).'),
  zeroWallet: chainAddress
    .optional()
    .describe('The wallet of `PARENTNET_ZERO_WALLET_PK`. Default: who delivers packets to the parent chain.'),
  subnetWallet: chainAddress
    .optional()
    .describe('The wallet of `SUBNET_WALLET_PK`. Default: who submits to `reverseContract`.'),
  subnetZeroWallet: chainAddress
    .optional()
    .describe('The wallet of `SUBNET_ZERO_WALLET_PK`. Default: who delivers packets to the subnet.'),
});

const checks = z.strictObject({
  rpc: z
    .strictObject({
      schedule: schedule('every 10s').describe('When subnetd probes nodes by JSON-RPC.'),
      timeout: duration.default('5s').describe('Time limit of one probe of a node.'),
      stallAfter: z
        .string(STALL_HELP)
        .refine((text) => text === 'auto' || (DURATION.test(text) && isDuration(text)), STALL_HELP)
        .default('auto')
        .describe(
          'The check fails if the height does not rise for this long. auto: as long as the mine and timeout periods of the chain allow, 60s until they are known.',
        ),
      maxLag: count('a number of blocks')
        .default(10)
        .describe('The check fails if the node is more than this many blocks behind the highest node.'),
      enabled: flag(true).describe('Whether subnetd probes nodes by JSON-RPC.'),
    })
    .prefault({}),
  containers: z
    .strictObject({
      schedule: schedule('every 10s').describe(
        'When subnetd asks Docker about containers. Docker events start a probe at once, too.',
      ),
      timeout: duration.default('5s').describe('Time limit of one request to Docker.'),
    })
    .prefault({}),
  services: z
    .strictObject({
      schedule: schedule('every 30s').describe('When subnetd probes relayer, stats server and frontend by HTTP.'),
      timeout: duration.default('10s').describe('Time limit of one probe of a service.'),
    })
    .prefault({}),
  logs: z
    .strictObject({
      schedule: schedule('every 10s').describe('When subnetd judges what it has read in the logs.'),
      bootnodeWindow: duration
        .default('10m')
        .describe('The bootnode must receive a message from every node within this time.'),
      submissionsWithin: duration
        .optional()
        .describe('The relayer must submit within this time. Default, by its mode: full 5m, lite 45m.'),
      blockDataWithin: duration.default('2m').describe('The stats server must receive a block within this time.'),
      errorWindow: duration.default('5m').describe('How long an error, or a restart of a container, fails its check.'),
    })
    .prefault({}),
  console: z
    .strictObject({
      schedule: schedule('every 5m').describe('When subnetd opens the page of the frontend and runs `XDC attach`.'),
      timeout: duration.default('30s').describe('Time limit of one visit of the page, and of one `XDC attach`.'),
    })
    .prefault({}),
});

const subnet = z.strictObject({
  name: name.describe('The name in the label `subnet`.'),
  consensus: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]*$/, 'must be the prefix of the RPC methods, such as XDPoS')
    .default('XDPoS')
    .describe('The prefix of the consensus engine in RPC methods, such as XDPoS in XDPoS_getV2BlockByNumber.'),
  nodes: z
    .array(node, 'must be a list of nodes')
    .min(1, 'must list at least one node')
    .describe('The nodes. Each needs at least one of rpc, ipc and container.'),
  bootnode: z.strictObject(component).optional(),
  relayer: reader('http://127.0.0.1:5215').optional(),
  stats: reader('http://127.0.0.1:5213').optional(),
  frontend: service('http://127.0.0.1:5214')
    .extend({
      browser: browser
        .optional()
        .describe('The Chromium that opens the page: started by subnetd, or reached by its address.'),
    })
    .optional(),
  exporters,
  parentChain: parentChain.optional(),
  checks: checks.prefault({}),
});

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
        'Every Alertmanager that receives alerts, never a load balancer. Without one the push is off. User info is sent as basic authentication. It is never shown, nor is the path, which may hold a token.',
      ),
    basicAuth,
    bearerTokenFile: text('the path of a file').optional().describe('A file with a bearer token.'),
    tls,
  })
  .prefault({});

/** The inventory as a person writes it, and the source of the JSON Schema for editors. */
export const inventorySchema = z
  .strictObject({
    subnets: z.array(subnet, 'must be a list of subnets').min(1, 'must list at least one subnet'),
    docker,
    alertmanager,
    maintenance,
    notify,
    heartbeat,
  })
  .meta({ title: 'subnetd inventory' });

/** The inventory's document after defaults. */
export type InventoryDocument = z.output<typeof inventorySchema>;
