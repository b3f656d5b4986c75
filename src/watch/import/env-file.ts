import { readFileSync, statSync } from 'node:fs';

const SETTING_NAMES = [
  'RPCPORT',
  'RPC_PORT',
  'NETHERMIND_JSONRPCCONFIG_PORT',
  'NETHERMIND_NETWORKCONFIG_P2PPORT',
  'PORT',
  'WSPORT',
  'WS_PORT',
  'NETWORK_ID',
  'LOG_LEVEL',
  'RPC_API',
  'CHECKPOINT_CONTRACT',
  'PARENTNET_URL',
  'PARENTNET_WALLET',
  'PARENTNET_ZERO_CONTRACT',
  'SUBNET_ZERO_CONTRACT',
  'REVERSE_CHECKPOINT_CONTRACT',
  'STATS_PORT',
  'RELAYER_PORT',
  'SUBNET_CONFIG_PATH',
] as const;

/** The variables of a generated deployment that an inventory depends on. None is a secret, but PARENTNET_URL may hold a token. */
export type SettingName = (typeof SETTING_NAMES)[number];

/** Settings by name, each with its line, counted from 1. */
export type EnvSettings = ReadonlyMap<string, { readonly value: string; readonly line: number }>;

const names: ReadonlySet<string> = new Set(SETTING_NAMES);

/** Whether a variable may be read at all. */
export const isSettingName = (name: string): name is SettingName => names.has(name);

const MAX_BYTES = 1024 * 1024;
const LONGEST_NAME = 64;
const [NEWLINE, EQUALS] = [0x0a, 0x3d];

/** A value as Compose reads it: without its quotes, and without a comment after an unquoted value. */
function toValue(text: string): string {
  const quoted = /^\s*(["'])(.*?)\1/.exec(text);
  return quoted?.[2] ?? text.replace(/\s#.*$/, '').trim();
}

/**
 * Reads the settings of an env file. There are private keys among them, so only values of wanted names ever become
 * strings, and the bytes are cleared at the end. Of two lines with one name, the last counts, as in Compose. `why` says
 * in a few words why the file cannot be read.
 */
export function readEnvFile(
  path: string,
  isWanted: (name: string) => boolean = isSettingName,
): { readonly ok: true; readonly settings: EnvSettings } | { readonly ok: false; readonly why: string } {
  let bytes: Buffer;
  try {
    const stats = statSync(path);
    // Opening a pipe would wait for its writer.
    if (!stats.isFile()) return { ok: false, why: 'not a file' };
    if (stats.size > MAX_BYTES) return { ok: false, why: 'larger than 1 MiB' };
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ok: false, why: code === 'ENOENT' ? 'not found' : `not readable, ${code}` };
  }
  const settings = new Map<string, { value: string; line: number }>();
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const equals = bytes.subarray(start, end).indexOf(EQUALS);
    if (equals !== -1 && equals <= LONGEST_NAME) {
      const name = bytes
        .toString('utf8', start, start + equals)
        .trim()
        .replace(/^export\s+/, '');
      if (isWanted(name)) settings.set(name, { value: toValue(bytes.toString('utf8', start + equals + 1, end)), line });
    }
    start = end + 1;
  }
  bytes.fill(0);
  return { ok: true, settings };
}
