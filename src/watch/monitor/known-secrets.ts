import { readCredentials } from '../../lib/addresses.ts';
import type { Inventory, Subnet, Target } from '../../model/target.ts';

/** A shorter value would be found in many words. */
const SHORTEST_PASSWORD = 4;
const SHORTEST_PART = 8;

const urlsOf = (target: Target): readonly string[] => [
  ...(target.component === 'node' && target.rpc !== undefined ? [target.rpc] : []),
  ...('url' in target && target.url !== undefined ? [target.url] : []),
  ...('browser' in target && target.browser && 'cdpUrl' in target.browser ? [target.browser.cdpUrl] : []),
];

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function secretsOf(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const credentials = readCredentials(url);
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), ...url.search.slice(1).split(/[&=]/)];
  return [
    ...[url.password, credentials?.password.toString() ?? ''].filter((one) => one.length >= SHORTEST_PASSWORD),
    ...(credentials
      ? [Buffer.concat([credentials.username, Buffer.from(':'), credentials.password]).toString('base64')]
      : []),
    ...parts.flatMap((part) => [part, decoded(part)]).filter((part) => part.length >= SHORTEST_PART),
  ];
}

/** The addresses of those who are notified. Other channels have theirs in files. */
const receiverUrls = ({
  alertmanager,
  channels = [],
}: Pick<Inventory, 'alertmanager' | 'channels'>): readonly string[] => [
  ...alertmanager.urls,
  ...channels.flatMap(({ target }) => (target.kind === 'webhook' && target.url !== undefined ? [target.url] : [])),
];

/**
 * The secrets that the inventory holds about a subnet, its parent chain and those who are notified: passwords in addresses,
 * and parts of paths and queries, which may be tokens.
 */
export const findKnownSecrets = (
  { targets, parentChain }: Pick<Subnet, 'targets' | 'parentChain'>,
  receivers: Pick<Inventory, 'alertmanager' | 'channels'>,
): readonly string[] => [
  ...new Set(
    [...targets.flatMap(urlsOf), ...(parentChain ? [parentChain.rpc] : []), ...receiverUrls(receivers)].flatMap(
      secretsOf,
    ),
  ),
];
