import { isIP } from 'node:net';
import { findUrlFault } from '../../lib/addresses.ts';
import type { ComposeService } from './compose-service.ts';
import type { Deployment } from './deployment-node.ts';
import type { Note } from './deployment-notes.ts';
import { readServiceSettings, type ServiceSettings } from './deployment-settings.ts';
import type { SettingName } from './env-file.ts';

/** The parent chain as the inventory names it. */
export interface ImportedParent {
  /** Undefined when the address may hold a token: then the inventory takes it from the environment. */
  readonly rpc?: string;
  /** The place of the address, such as `common.env:7`. */
  readonly where: string;
  readonly contract: string;
  readonly wallet?: string;
  readonly zeroContract?: string;
  readonly subnetZeroContract?: string;
  readonly reverseContract?: string;
}

/** The optional addresses of the inventory, with the setting of each. */
const ADDRESSES = [
  ['wallet', 'PARENTNET_WALLET'],
  ['zeroContract', 'PARENTNET_ZERO_CONTRACT'],
  ['subnetZeroContract', 'SUBNET_ZERO_CONTRACT'],
  ['reverseContract', 'REVERSE_CHECKPOINT_CONTRACT'],
] as const;

/** Generators before v1 wrote an address of zeros until the contract was deployed. */
export const isNoContract = (address: string | undefined): boolean => /^(?:0x0*)?$/.test(address ?? '');

const ADDRESS = /^(?:0x|xdc)[0-9a-f]{40}$/i;

/** The words in paths of public RPC addresses. Any other word may be a token. */
const PATH_WORDS = new Set(['', 'rpc', 'devnet', 'testnet', 'mainnet', 'apothem', 'xdc', 'v1', 'v2', 'v3']);

/** Long labels of a host name with digits are how some providers write a token. */
const isHostOpen = (host: string): boolean =>
  isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
  host.split('.').every((label) => label.length < 16 || !/\d/.test(label));

const isOpen = ({ username, password, pathname, search, hostname }: URL): boolean =>
  username === '' &&
  password === '' &&
  search === '' &&
  pathname.split('/').every((word) => PATH_WORDS.has(word)) &&
  isHostOpen(hostname);

/** An address of 20 bytes from the settings. Anything else is noted and not used: it may be a key. */
function readAddress(
  { values }: ServiceSettings,
  name: SettingName,
): { readonly address?: string; readonly notes: readonly Note[] } {
  const setting = values.get(name);
  if (setting === undefined || isNoContract(setting.value)) return { notes: [] };
  return ADDRESS.test(setting.value)
    ? { address: setting.value, notes: [] }
    : { notes: [{ kind: 'badAddress', what: `${name}, ${setting.where}` }] };
}

/** The parent chain by the env file of the relayer, else of the stats server. */
export function readParent(
  services: ReadonlyMap<string, ComposeService>,
  deployment: Deployment,
): { readonly parent?: ImportedParent; readonly notes: readonly Note[] } {
  const key = ['relayer', 'stats'].find((name) => services.has(name));
  const service = key === undefined ? undefined : services.get(key);
  if (key === undefined || service === undefined) return { notes: [] };
  const settings = readServiceSettings(key, service, deployment);
  const setting = settings.values.get('PARENTNET_URL');
  if (setting === undefined || setting.value === '') return { notes: [] };
  const { value, where } = setting;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || findUrlFault(value) !== undefined)
    return { notes: [{ kind: 'badAddress', what: `PARENTNET_URL, ${where}` }] };
  const contract = readAddress(settings, 'CHECKPOINT_CONTRACT');
  const others = ADDRESSES.map(([member, name]) => ({ member, ...readAddress(settings, name) }));
  const notes = [...contract.notes, ...others.flatMap((one) => one.notes)];
  // Without its contract, nothing says how far the parent chain has come.
  if (contract.address === undefined) return { notes: [...notes, { kind: 'noContract', what: where }] };
  const isShown = isOpen(url);
  return {
    parent: {
      where,
      ...(isShown && { rpc: value }),
      contract: contract.address,
      ...Object.fromEntries(
        others.flatMap(({ member, address }) => (address === undefined ? [] : [[member, address]])),
      ),
    },
    notes: [...(isShown ? [] : [{ kind: 'parentToken', what: where } as const]), ...notes],
  };
}
