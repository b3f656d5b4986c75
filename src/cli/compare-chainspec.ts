import { createHash } from 'node:crypto';
import { isRecord } from '../lib/values.ts';

/** A setting of a chain that two files give differently, as the end of a sentence. */
export type ChainspecDifference = string;

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

const NUMBER = /^(?:0x[0-9a-f]+|\d+)$/i;

/** Numbers in any form alike, and hexadecimal text without regard to its case and its `0x`; undefined and null alike. */
function toPlain(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return String(value);
  return NUMBER.test(String(value)) ? String(BigInt(String(value))) : String(value).toLowerCase();
}

/** JSON that is the same for the same accounts: sorted, and with numbers in one form. Code keeps the zeros at its start. */
function toCanonical(value: unknown, key = ''): unknown {
  if (!isRecord(value)) return key === 'code' ? String(value).toLowerCase() : toPlain(value);
  const entries = Object.entries(value).map(([name, inner]) => [name.toLowerCase().replace(/^0x/, ''), inner] as const);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, inner]) => [name, toCanonical(inner, name)]);
}

/** The first digits of a digest of accounts, as much as people compare. */
const digestOf = (accounts: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(toCanonical(accounts ?? {})))
    .digest('hex')
    .slice(0, 12);

/** The settings of a round, and what they are called in a sentence. Rewards are set to 0 on purpose by the generator. */
const OF_ROUND: readonly (readonly [name: string, title: string])[] = [
  ['certificateThreshold', 'the certificate threshold'],
  ['certThreshold', 'the certificate threshold'],
  ['timeoutSyncThreshold', 'the timeout sync threshold'],
  ['timeoutPeriod', 'the timeout period'],
  ['minePeriod', 'the mine period'],
  ['maxMasternodes', 'the most masternodes'],
];

const show = (value: unknown): string => {
  const text = toPlain(value) ?? 'absent';
  return text.length > 24 ? `${text.slice(0, 21)}…` : text;
};

function compare(title: string, ofGenesis: unknown, ofChainspec: unknown): readonly ChainspecDifference[] {
  if (toPlain(ofGenesis) === toPlain(ofChainspec)) return [];
  return [`${title} is ${show(ofGenesis)} in genesis.json and ${show(ofChainspec)} in chainspec.json`];
}

/** The settings by the round from which they count. */
function byRound(configs: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(configs.map((config) => [toPlain(at(config, 'switchRound')) ?? '0', config]));
}

/**
 * How the chain of `chainspec.json`, which Nethermind reads, differs from that of `genesis.json`, which the other clients
 * read. It looks at the chain id, the engine's settings, those of each round, block 0 and the accounts.
 */
export function compareChainspec(genesis: unknown, chainspec: unknown): readonly ChainspecDifference[] {
  const engine = at(genesis, 'config', 'XDPoS');
  const params = at(chainspec, 'engine', 'XDPoSSubnet', 'params') ?? at(chainspec, 'engine', 'XDPoS', 'params');
  const v2 = at(engine, 'v2');
  const configs = at(v2, 'allConfigs');
  const specs = at(params, 'v2Configs');
  const rounds = byRound(
    isRecord(configs) ? Object.entries(configs).map(([switchRound, own]) => ({ switchRound, ...Object(own) })) : [],
  );
  const specRounds = byRound(Array.isArray(specs) ? specs : []);
  const ofRounds = [...new Set([...rounds.keys(), ...specRounds.keys()])].flatMap((round) => {
    const [own, spec] = [rounds.get(round), specRounds.get(round)];
    const suffix = round === '0' ? '' : ` from round ${round}`;
    if (own === undefined || spec === undefined)
      return [`only ${own === undefined ? 'chainspec.json' : 'genesis.json'} has settings from round ${round}`];
    return OF_ROUND.flatMap(([name, title]) => compare(`${title}${suffix}`, at(own, name), at(spec, name)));
  });
  const [digest, specDigest] = [digestOf(at(genesis, 'alloc')), digestOf(at(chainspec, 'accounts'))];
  return [
    ...compare('the chain id', at(genesis, 'config', 'chainId'), at(chainspec, 'params', 'chainId')),
    ...compare('the epoch', at(engine, 'epoch'), at(params, 'epoch')),
    ...compare('the gap', at(engine, 'gap'), at(params, 'gap')),
    ...compare('the period', at(engine, 'period'), at(params, 'period')),
    ...compare('the switch block', at(v2, 'switchBlock') ?? at(v2, 'SwitchBlock'), at(params, 'switchBlock')),
    ...ofRounds,
    ...compare('the time of block 0', at(genesis, 'timestamp'), at(chainspec, 'genesis', 'timestamp')),
    ...compare('the extra data of block 0', at(genesis, 'extraData'), at(chainspec, 'genesis', 'extraData')),
    ...(digest === specDigest
      ? []
      : [`the digest of the accounts is ${digest} in genesis.json and ${specDigest} in chainspec.json`]),
  ];
}
