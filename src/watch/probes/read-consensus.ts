import { isRecord } from '../../lib/values.ts';
import type { ConsensusSettings, DatedSettings, RoundSettings } from '../../model/chain.ts';
import { memberOf, toCount, toNumber } from './chain-values.ts';

function toPositive(value: unknown): number | undefined {
  const number = toNumber(value);
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** How timeouts in a row grow; a base up to 1 leaves them equal (XDPoSChain consensus/XDPoS/utils/exp_timeout.go). */
function readGrowth(value: unknown): Pick<RoundSettings, 'timeoutBase' | 'timeoutMaxExponent'> {
  if (!isRecord(value)) return {};
  const [base, exponent] = [toPositive(memberOf(value, 'Base')), toPositive(memberOf(value, 'MaxExponent'))];
  return base === undefined || base <= 1 || exponent === undefined
    ? {}
    : { timeoutBase: base, timeoutMaxExponent: exponent };
}

/** The settings of one entry; its periods are in seconds. */
function readSettings(config: unknown): RoundSettings | undefined {
  if (!isRecord(config)) return undefined;
  const read = (name: string) => toPositive(memberOf(config, name));
  const [minePeriod, timeoutPeriod] = [read('MinePeriod'), read('TimeoutPeriod')];
  const [certificateThreshold, maxMasternodes] = [read('CertificateThreshold'), read('MaxMasternodes')];
  if (minePeriod === undefined || timeoutPeriod === undefined) return undefined;
  if (certificateThreshold === undefined || certificateThreshold > 1) return undefined;
  return {
    minePeriodMs: minePeriod * 1000,
    timeoutPeriodMs: timeoutPeriod * 1000,
    certificateThreshold,
    ...(maxMasternodes !== undefined && { maxMasternodes }),
    ...readGrowth(memberOf(config, 'ExpTimeoutConfig')),
  };
}

/** More entries are read of no chain: mainnet has six. */
const MAX_SETTINGS = 64;

/** The entries with their rounds: a map by round in Go, a list in Nethermind. Those that cannot be read are left out. */
function readDated(configs: Readonly<Record<string, unknown>>): readonly DatedSettings[] {
  const [v2, v2Configs] = [memberOf(configs, 'V2'), memberOf(configs, 'V2Configs')];
  const all = isRecord(v2) ? v2.allConfigs : undefined;
  const listed = Array.isArray(v2Configs)
    ? v2Configs.map((config) => [isRecord(config) ? memberOf(config, 'SwitchRound') : undefined, config] as const)
    : Object.entries(isRecord(all) ? all : {}).map(([round, config]) => [Number(round), config] as const);
  return listed
    .slice(0, MAX_SETTINGS)
    .flatMap(([key, config]) => {
      const [round, settings] = [toCount(key), readSettings(config)];
      return round === undefined || settings === undefined ? [] : [{ round, ...settings }];
    })
    .sort((one, other) => one.round - other.round);
}

/** Reads `networkInformation`. Without a round, its settings are those that the node itself calls the current ones, else the first. */
export function readConsensus(value: unknown): ConsensusSettings | undefined {
  const configs = isRecord(value) ? memberOf(value, 'ConsensusConfigs') : undefined;
  if (!isRecord(configs)) return undefined;
  const dated = readDated(configs);
  const { round: _, ...first } = dated[0] ?? {};
  const settings = readSettings(isRecord(configs.v2) ? configs.v2.config : first);
  const now = settings ?? (dated.length > 0 ? (first as RoundSettings) : undefined);
  const [epoch, gap] = [toCount(memberOf(configs, 'Epoch')), toCount(memberOf(configs, 'Gap'))];
  if (now === undefined || epoch === undefined || gap === undefined) return undefined;
  return { ...now, epoch, gap, byRound: dated };
}
