import { isRecord } from '../../lib/values.ts';
import { COMPONENTS } from '../../model/target.ts';

/** Adds an error between values, at a path of the document. */
export type AddConflict = (path: readonly PropertyKey[], what: string) => void;

/** A member of a mapping; undefined of anything else. */
export const get = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A message lists at most this many names. */
const MOST_NAMES = 10;

/** Names that can be shown, as `a, b and 3 more`. */
function listNames(names: readonly string[]): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === MOST_NAMES) break;
    if (!/\p{C}/u.test(name) && name.length <= 100) shown.push(name);
  }
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** The names of the targets of a subnet, of one component or of all. */
function namesIn(subnet: unknown, component: string | undefined): readonly string[] {
  const nodes = listOf(get(subnet, 'nodes')).flatMap((node) => textOf(get(node, 'name')) ?? []);
  const singles = COMPONENTS.filter((one) => one !== 'node' && get(subnet, one) !== undefined);
  if (component === undefined) return [...nodes, ...singles];
  return component === 'node' ? nodes : singles.filter((one) => one === component);
}

function findIn(window: unknown, w: number, subnets: readonly unknown[], add: AddConflict): void {
  const [named, component, name] = ['subnet', 'component', 'name'].map((key) => textOf(get(window, key)));
  if (named === undefined) return;
  const found = (key: string, what: string) => add(['maintenance', w, key], what);
  const subnet = subnets.find((one) => get(one, 'name') === named);
  if (subnet === undefined) {
    const names = subnets.flatMap((one) => textOf(get(one, 'name')) ?? []);
    found('subnet', `must be the name of a subnet: ${listNames(names)}`);
    return;
  }
  const names = namesIn(subnet, component);
  if (component !== undefined && COMPONENTS.some((one) => one === component) && names.length === 0)
    found('component', `is not in the subnet ${listNames([named])}`);
  else if (name !== undefined && name !== '' && names.length > 0 && !names.includes(name))
    found('name', `must be the name of a target of that subnet: ${listNames(names)}`);
}

/** Planned work on what the inventory does not have: it would cover nothing. The document may have any other error too. */
export function findMaintenanceConflicts(document: unknown, add: AddConflict): void {
  const subnets = listOf(get(document, 'subnets'));
  for (const [w, window] of listOf(get(document, 'maintenance')).entries()) findIn(window, w, subnets, add);
}
