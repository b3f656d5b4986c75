import { listNames } from '../../lib/words.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { StopResult } from '../../model/stop-forecast.ts';
import { engineOf, type Target } from '../../model/target.ts';
import { forecastStop } from './forecast-stop.ts';

/** Where a target answers. */
function hostOf(target: Target): string | undefined {
  const address = target.component === 'node' ? target.rpc : 'url' in target ? target.url : undefined;
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address).hostname;
}

/**
 * What a word selects: `engine:NAME` all containers of a Docker Engine, `host:NAME` all that answers there, `region:NAME` all that the
 * inventory puts there, else one target by its name.
 */
const SELECTORS: Readonly<Record<string, (target: Target, value: string) => boolean>> = {
  engine: ({ container }, value) => container !== undefined && engineOf(container) === value,
  host: (target, value) => hostOf(target) === value,
  region: ({ region }, value) => region === value,
};

function compile(word: string): (target: Target) => boolean {
  const [kind = '', value = ''] = word.split(/:(.*)/s);
  const select = Object.hasOwn(SELECTORS, kind) ? SELECTORS[kind] : undefined;
  return select === undefined ? ({ name }) => name === word : (target) => select(target, value);
}

/** What to write instead of a word that selects none of these. */
function describeChoice(word: string, targets: readonly Target[]): string {
  if (!word.startsWith('region:'))
    return 'name targets, or all of a Docker Engine, a host or a region as engine:NAME, host:NAME or region:NAME';
  const regions = [...new Set(targets.flatMap(({ region }) => region ?? []))].sort();
  const known = regions.length === 0 ? 'no target has a region yet' : `the regions are ${listNames(regions, 10)}`;
  return `${known}; give a node, bootnode or service its own with a line such as region: eu in the inventory`;
}

/**
 * What would happen if all that these words select were stopped now, for each subnet that has some of it. A name that several subnets
 * have needs the subnet.
 */
export function answerWhatIf(snapshot: Snapshot, subnet: string | undefined, words: readonly string[]): StopResult {
  const states = snapshot.filter((state) => subnet === undefined || state.subnet.name === subnet);
  if (states.length === 0)
    return {
      ok: false,
      kind: 'unknown',
      error: `the inventory has no such subnet; it has ${listNames(snapshot.map((state) => state.subnet.name))}`,
    };
  const stopped = new Set<Target>();
  for (const word of words) {
    const isMeant = compile(word);
    const found = states.flatMap((state) => state.subnet.targets.filter(isMeant));
    const subnets = [...new Set(found.map((target) => target.subnet))];
    if (found.length === 0)
      return {
        ok: false,
        kind: 'unknown',
        error: `nothing in ${subnet ?? 'the inventory'} is ${word}; ${describeChoice(
          word,
          states.flatMap((state) => state.subnet.targets),
        )}`,
      };
    if (subnets.length > 1 && !word.includes(':'))
      return {
        ok: false,
        kind: 'ambiguous',
        error: `several subnets have ${word}, so name the subnet: ${listNames(subnets)}`,
      };
    for (const target of found) stopped.add(target);
  }
  const forecasts = states.flatMap((state) =>
    state.subnet.targets.some((target) => stopped.has(target)) ? [forecastStop(state, stopped)] : [],
  );
  return { ok: true, forecasts };
}
