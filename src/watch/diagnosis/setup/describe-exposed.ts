import { joinAnd, listNames } from '../../../lib/words.ts';
import type { Advised, Client } from '../../../model/client.ts';
import type { RpcExposure } from '../../../model/exposure.ts';
import type { Suspicion } from '../../../model/problem.ts';
import type { UnlockedBy } from '../subnet-view.ts';
import { describeEach, describeWhere, type Where } from './groups.ts';

/** The namespaces that change the node, and what anyone can do with each (XDC-Subnet node/api.go, eth/api.go, internal/ethapi/api.go). */
const DANGERS: Readonly<Record<string, string>> = {
  admin: 'cut it off from its peers (admin_removePeer)',
  debug: 'rewind its chain (debug_setHead)',
  miner: 'stop its blocks (miner_stop)',
  personal: 'guess the password of its account (personal_unlockAccount)',
};

/** A node that serves anyone, and where. */
export interface Exposed {
  readonly name: string;
  readonly node: Advised;
  readonly client: Client;
  readonly seen: RpcExposure;
  readonly where: Where;
  readonly dangerous: readonly string[];
  /** The namespaces that a web page could abuse. On a node's own machine, what every masternode needs does not count. */
  readonly abused: readonly string[];
  /** Undefined when it is not known that its account is unlocked. */
  readonly unlocked: UnlockedBy | undefined;
}

/** A node that serves anyone; undefined for one that wants a password. */
export function toExposed(
  node: Advised,
  client: Client,
  seen: RpcExposure,
  unlocked: UnlockedBy | undefined,
): Exposed | undefined {
  const where = describeWhere(seen.servedAt);
  if (where === undefined) return undefined;
  const dangerous = seen.modules.filter((module) => Object.hasOwn(DANGERS, module));
  const isOpen = unlocked !== undefined && where.reach !== 'loopback';
  return {
    name: node.name,
    node,
    client,
    seen,
    where,
    dangerous,
    abused: isOpen ? [...dangerous, 'eth'].toSorted() : dangerous,
    unlocked,
  };
}

/** What is said of exposed nodes. */
type Texts = Pick<Suspicion, 'summary' | 'evidence' | 'fix'>;

/** Nodes of which the same can be said: reached from as far, and with the same value. */
function groupAlike(ones: readonly Exposed[], likeness: (one: Exposed) => string): readonly (readonly Exposed[])[] {
  return [...Map.groupBy(ones, (one) => `${one.where.reach} ${likeness(one)}`).values()];
}

/** What is said of each group, as one text; a sentence that several groups share is said once. */
const joinGroups = (
  groups: readonly (readonly Exposed[])[],
  describe: (alike: readonly Exposed[], first: Exposed) => string,
): string => [...new Set(groups.flatMap((alike) => (alike[0] ? [describe(alike, alike[0])] : [])))].join('; ');

const namesOf = (ones: readonly Exposed[]): string => listNames(ones.map(({ name }) => name));

/** Where nodes are reached, and who they are, for `at …, n1 serves` and `at … (n1), … (n2), …, each serves`. */
function describeReached(alike: readonly Exposed[], first: Exposed): { readonly at: string; readonly who: string } {
  return alike.length === 1
    ? { at: `at ${first.where.text}`, who: first.name }
    : { at: `at ${describeEach(alike, first.where.reach)}`, who: 'each' };
}

/** The namespaces of a node that change nothing. */
const keptOf = ({ seen, dangerous }: Exposed): readonly string[] =>
  seen.modules.filter((module) => !dangerous.includes(module));

/** What to type for nodes whose namespaces are dangerous. */
const serveLess = (ones: readonly Exposed[]): string =>
  joinGroups(
    groupAlike(ones, (one) => `${one.client.name} ${keptOf(one).join()}`),
    (alike, first) =>
      first.client.advice.serveOnly(
        keptOf(first),
        alike.map(({ node }) => node),
      ),
  );

/** Nodes that serve namespaces which change them. */
export function describeNamespaces(ones: readonly Exposed[]): Texts {
  const all = Object.keys(DANGERS).filter((module) => ones.some(({ dangerous }) => dangerous.includes(module)));
  return {
    summary: `the RPC of ${namesOf(ones)} serves ${joinAnd(all)} beyond its own machine`,
    evidence: joinGroups(
      groupAlike(ones, ({ dangerous }) => dangerous.join()),
      (alike, first) => {
        const { at, who } = describeReached(alike, first);
        const dangers = joinAnd(first.dangerous.map((module) => DANGERS[module] ?? ''));
        return `${at} ${who} serves ${joinAnd(first.dangerous)} without a password: anybody there can ${dangers}`;
      },
    ),
    fix: `${serveLess(ones)}${ones.every(({ client }) => client.hasConsole) ? '; what needs them can use its IPC' : ''}`,
  };
}

const describeUnlocked = (alike: readonly Exposed[], { name, unlocked }: Exposed): string => {
  const who = alike.length === 1 ? name : `each of ${namesOf(alike)}`;
  return unlocked === 'wallet'
    ? `by personal_listWallets, an account of ${who} is unlocked`
    : `${who} signs blocks as a masternode, so its account is unlocked`;
};

/** Nodes whose account anyone can use. */
export function describeAccounts(ones: readonly Exposed[]): Texts {
  const [{ name, where } = { name: '', where: { port: 8545 } }] = ones;
  const flagged = ones.find(({ client }) => client.unlockFlag !== undefined);
  const port = `127.0.0.1:${where.port}:${where.port}`;
  const published = ones.length === 1 ? `the port as ${port}` : `each port for 127.0.0.1 only, as ${port} of ${name},`;
  return {
    summary: `the unlocked account of ${namesOf(ones)} can be used from beyond its own machine`,
    evidence: joinGroups(
      groupAlike(ones, ({ unlocked }) => String(unlocked)),
      (alike, first) => {
        const { at, who } = describeReached(alike, first);
        return `${describeUnlocked(alike, first)}, and ${at} ${who === 'each' ? who : 'it'} serves eth: anybody there can spend its coins and sign in its name without a password (eth_sendTransaction, eth_sign)`;
      },
    ),
    fix: `publish ${published} in docker-compose.yml, without network_mode: host, or close it in the firewall (chain DOCKER-USER for ports that Docker publishes)${flagged ? `; no line of ${ones.length === 1 ? flagged.client.advice.envFile(flagged.node) : 'an env file'} helps, as the start script always passes ${flagged.client.unlockFlag}` : ''}`,
  };
}

/** How nodes that serve web pages are made not to. */
function fixWildcards(ones: readonly Exposed[], about: 'hosts' | 'origins'): string {
  const { true: byEth = [], false: byModules = [] } = Object.groupBy(ones, ({ abused }) =>
    abused.includes('eth') ? 'true' : 'false',
  );
  return [
    ...(byModules.length > 0 ? [`${serveLess(byModules)}; web pages then reach only what everybody may read`] : []),
    ...[...Map.groupBy(byEth, ({ client }) => client)].map(([{ advice }, alike]) =>
      advice.refusePages(
        about,
        alike.map(({ node }) => node),
      ),
    ),
  ].join('; ');
}

const describePages = (ones: readonly Exposed[], describe: (who: string, abused: string) => string): string =>
  joinGroups(
    groupAlike(ones, ({ abused }) => abused.join()),
    (alike, first) => {
      const { at, who } = describeReached(alike, first);
      return `${at} ${describe(who, joinAnd(first.abused))}`;
    },
  );

/** Nodes whose RPC serves web pages: by any host name, or of any origin. */
export const describeWildcards = {
  hosts: (ones: readonly Exposed[]): Texts => ({
    summary: `the RPC of ${namesOf(ones)} answers under any host name`,
    evidence: describePages(
      ones,
      (who, abused) =>
        `${who} answered for the host name subnetd-exposure.invalid: a web page that points its own name there can use ${abused} (DNS rebinding)`,
    ),
    fix: fixWildcards(ones, 'hosts'),
  }),
  origins: (ones: readonly Exposed[]): Texts => ({
    summary: `the RPC of ${namesOf(ones)} lets any web page use it`,
    evidence: describePages(
      ones,
      (who, abused) =>
        `${who} allowed the origin https://subnetd-exposure.invalid: any page that is opened in a browser there can use ${abused}`,
    ),
    fix: fixWildcards(ones, 'origins'),
  }),
} as const;
