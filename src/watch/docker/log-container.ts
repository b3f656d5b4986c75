import type { ClientDeployment } from '../../model/client.ts';
import type { CreatedSettings } from '../../model/facts.ts';
import type { Container } from '../../model/observation.ts';
import { toAddress } from '../../model/parent-chain.ts';
import { CLIENTS } from '../clients/clients.ts';

/** How the engine rotates a container's log: the number of files, and the size at which it starts a new one. */
export interface Rotation {
  readonly fileBytes: number;
  readonly files: number;
}

/** A container whose log can be read. */
export interface LogContainer {
  readonly id: string;
  readonly running: boolean;
  /** Unix milliseconds. */
  readonly startedAt?: number;
  /** Docker keeps its lines, so that they can be read. */
  readonly isKept: boolean;
  /** It writes a bare stream without frames. */
  readonly tty: boolean;
  /** Absent when the engine does not rotate the log. */
  readonly rotation?: Rotation;
  readonly created: CreatedSettings;
}

/** The log settings of a container. */
export interface LogConfig {
  readonly Type?: unknown;
  readonly Config?: Readonly<Record<string, unknown>> | null;
}

interface Inspection {
  readonly HostConfig?: { readonly LogConfig?: LogConfig };
  readonly Config?: { readonly Tty?: unknown; readonly Env?: unknown };
  readonly NetworkSettings?: { readonly Networks?: Readonly<Record<string, { readonly IPAddress?: unknown }>> | null };
}

/** Defaults of the `local` driver, which always rotates. `json-file` rotates only when it is configured to. */
const LOCAL: Rotation = { fileBytes: 20e6, files: 5 };

/** Decimal also for `kib` and `mib` (docker/go-units, `FromHumanSize`). */
const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const SIZE = /^(\d{1,15}(?:\.\d+)?) ?(?:([kmgt])i?)?b?$/i;

/** How the engine rotates a log; undefined when it does not, or the driver is unknown. */
export function readRotation(config: LogConfig | undefined): Rotation | undefined {
  const { Type, Config } = config ?? {};
  const [, digits, unit = ''] = SIZE.exec(String(Config?.['max-size'] ?? '')) ?? [];
  const fileBytes = digits === undefined ? undefined : Math.trunc(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1));
  const files = /^[1-9]\d{0,5}$/.exec(String(Config?.['max-file'] ?? ''))?.[0];
  const given = { ...(fileBytes && { fileBytes }), ...(files !== undefined && { files: Number(files) }) };
  if (Type === 'local') return { ...LOCAL, ...given };
  return Type === 'json-file' && given.fileBytes !== undefined
    ? { fileBytes: given.fileBytes, files: given.files ?? 1 }
    : undefined;
}

/** Whether Docker keeps lines of a container. Of a driver that sends them elsewhere it keeps a copy, unless that is turned off. */
export function isKept({ Type, Config }: LogConfig = {}): boolean {
  const isCopied = !/^(?:1|t|true)$/i.test(String(Config?.['cache-disabled'] ?? ''));
  return Type !== 'none' && (['json-file', 'local', 'journald'].includes(String(Type)) || isCopied);
}

/** Reads the first of these variables that is set, and no other: others hold keys. What is set twice has its last value. */
export function readEnv(env: unknown, ...names: readonly string[]): string | undefined {
  if (!Array.isArray(env)) return undefined;
  for (const name of names) {
    const line = env.findLast((entry) => String(entry).startsWith(`${name}=`));
    if (line !== undefined) return String(line).slice(name.length + 1);
  }
  return undefined;
}

/** The variables of all clients for one setting. Which client a container runs is not known until its node has answered. */
const variablesOf = (read: (deployment: ClientDeployment) => readonly string[]): readonly string[] => [
  ...new Set(Object.values(CLIENTS).flatMap(({ deployment }) => read(deployment))),
];

export const VARIABLES = {
  rpc: variablesOf(({ rpcPort }) => rpcPort),
  ws: variablesOf(({ wsPort }) => wsPort),
  p2p: variablesOf(({ p2pPort }) => [p2pPort]),
  bootnodes: variablesOf(({ bootnodes }) => [bootnodes]),
} as const;

/** Without one of these a relayer runs in no mode. */
const MODE_VARIABLES = ['PARENTNET_URL', 'PARENTNET_WALLET_PK', 'CHECKPOINT_CONTRACT'];

/** The public keys and addresses of `enode://` addresses. */
const findBootnodes = (text = ''): readonly string[] =>
  [...text.matchAll(/enode:\/\/([0-9a-f]{128}@[\w.:[\]-]{1,260})/gi)].map(([, bootnode = '']) => bootnode);

/** Only how the key begins is tested. The relayer takes the other key of the subnet for one without 0x (XDC-Relayer src/config.ts). */
const hasBareZeroKey = (env: unknown): boolean =>
  Array.isArray(env) && env.some((entry) => /^SUBNET_ZERO_WALLET_PK=(?!0x)./.test(String(entry)));

/** Parses what concerns the log from `GET /containers/ID/json`. */
export function toLogContainer({ id, running, startedAt }: Container, body: unknown): LogContainer {
  const { Config, HostConfig, NetworkSettings } = body as Inspection;
  const level = /^[0-5]$/.exec(readEnv(Config?.Env, 'LOG_LEVEL') ?? '')?.[0];
  const port = /^\d{1,5}$/.exec(readEnv(Config?.Env, ...VARIABLES.p2p) ?? '')?.[0];
  const address = Object.values(NetworkSettings?.Networks ?? {}).find(({ IPAddress }) => IPAddress)?.IPAddress;
  const rotation = readRotation(HostConfig?.LogConfig);
  const networkId = /^\d{1,15}$/.exec(readEnv(Config?.Env, 'NETWORK_ID') ?? '')?.[0];
  const contract = /^(?:0x|xdc)[0-9a-f]{40}$/i.exec(readEnv(Config?.Env, 'CHECKPOINT_CONTRACT') ?? '')?.[0];
  const unset = MODE_VARIABLES.filter((name) => !readEnv(Config?.Env, name));
  const bootnodes = findBootnodes(readEnv(Config?.Env, ...VARIABLES.bootnodes));
  return {
    id,
    running,
    rotation,
    isKept: isKept(HostConfig?.LogConfig),
    tty: Config?.Tty === true,
    startedAt,
    created: {
      ...(level !== undefined && { level: Number(level) }),
      ...(port !== undefined && { p2p: `${typeof address === 'string' ? address : '0.0.0.0'}:${port}` }),
      ...(bootnodes.length > 0 && { bootnodes }),
      ...(networkId !== undefined && { networkId: Number(networkId) }),
      ...(contract !== undefined && { contract: toAddress(contract) }),
      ...(unset.length > 0 && unset.length < MODE_VARIABLES.length && { unset }),
      ...(hasBareZeroKey(Config?.Env) && { isZeroKeyBare: true }),
    },
  };
}
