import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { type Comparison, createComparison } from './create-comparison.ts';
import { createIntervals } from './create-intervals.ts';
import { createSectionWriter } from './create-section-writer.ts';
import { areLike, cutSnapshot, type Units } from './cut-snapshot.ts';
import type { Part, SubnetPart, TargetPart, View } from './parts.ts';
import { emptySection, type Section } from './section.ts';

interface Block {
  readonly units: Units;
  /** The places of those that may have other values than in the snapshot before. */
  readonly targetPlaces: readonly number[];
  readonly subnetPlaces: readonly number[];
  /** Of its targets, and of its subnets, when a part has no sample of them. */
  readonly none: { readonly target: Section; readonly subnet: Section };
  /** By part. */
  readonly sections: Section[];
}

/** A block of a page. It stays as it is when the next page is rendered. */
export interface PageBlock {
  readonly units: Units;
  /** By part. */
  readonly sections: readonly Section[];
}

/** The text of all targets, kept by blocks of them. */
export interface Blocks {
  /**
   * Renders a snapshot in steps of a few milliseconds, and returns its blocks. Only what differs from the snapshot before is
   * written again, so that one must have been rendered to its end.
   */
  render(snapshot: Snapshot): Generator<void, readonly PageBlock[]>;
}

/** A part, where it stands among all, and what its samples are compared with. */
interface Placed<P> {
  readonly part: P;
  readonly place: number;
  readonly comparison: Comparison;
}

/** Whether a subnet is as it was, but for its targets. */
const isUnchanged = ({ targets: _, ...one }: SubnetState, { targets: __, ...other }: SubnetState): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => value === (other as Readonly<Record<string, unknown>>)[key]);

function placesOf<T>(units: readonly T[], isMeant: (unit: T, place: number) => boolean): readonly number[] {
  const places: number[] = [];
  for (let place = 0; place < units.length; place += 1) if (isMeant(units[place] as T, place)) places.push(place);
  return places;
}

/**
 * Targets of a block. With fewer, the work for each section outweighs that for its text; with more, one takes too long to leave the
 * event loop alone.
 */
const BLOCK_TARGETS = 1_024;

/** Creates blocks without text. `parts` are in the order of the page. */
export function createBlocks(
  parts: readonly Part[],
  { intervalSeconds, toWall }: View,
  blockTargets = BLOCK_TARGETS,
): Blocks {
  const writer = createSectionWriter();
  const intervals = createIntervals(intervalSeconds);
  const view = { intervalSeconds: intervals.get, toWall };
  const targetParts: Placed<TargetPart>[] = [];
  const subnetParts: Placed<SubnetPart>[] = [];
  for (const [place, part] of parts.entries())
    if (part.of === 'target') targetParts.push({ part, place, comparison: createComparison() });
    else subnetParts.push({ part, place, comparison: createComparison() });
  /** Most samples are of checks. All of one check are read at once, which takes a third of the time. */
  const checkParts = targetParts.flatMap(({ part: { readCheck }, comparison }) =>
    readCheck ? [{ readCheck, comparison }] : [],
  );
  /** Many targets lack some facts. */
  const otherParts = Map.groupBy(
    targetParts.filter(({ part }) => part.readCheck === undefined),
    ({ part }) => part.family.from,
  );

  let blocks: readonly Block[] = [];
  let wallOfZero: number | undefined;

  const createBlock = (units: Units): Block => {
    const none = { target: emptySection(units.targets.length), subnet: emptySection(units.subnets.length) };
    return { units, targetPlaces: [], subnetPlaces: [], none, sections: parts.map(({ of }) => none[of]) };
  };

  /** Finds what may have other values than before. */
  const prepare = (snapshot: Snapshot): readonly Block[] => {
    const changed = intervals.renew(new Set(snapshot.map(({ subnet }) => subnet.name)));
    // When the wall clock is set, all times move.
    const isClockSet = toWall(0) !== wallOfZero;
    wallOfZero = toWall(0);
    const changedSubnets = new Set<string>();
    const prepared = cutSnapshot(snapshot, blockTargets).map((units, index) => {
      const before = blocks[index];
      const isKept = before !== undefined && areLike(before.units, units);
      const isAll = !isKept || isClockSet || units.slices.some(({ subnet }) => changed.has(subnet));
      const targetPlaces = placesOf(units.targets, (state, place) => isAll || state !== before.units.targets[place]);
      for (const place of targetPlaces) changedSubnets.add((units.targets[place] as TargetState).target.subnet);
      return {
        ...(isKept ? before : createBlock(units)),
        units,
        targetPlaces,
        before: isAll ? undefined : before?.units,
      };
    });
    return prepared.map(({ before, ...block }) => ({
      ...block,
      subnetPlaces: placesOf(block.units.subnets, (state, place) => {
        const known = before?.subnets[place];
        return known === undefined || changedSubnets.has(state.subnet.name) || !isUnchanged(known, state);
      }),
    }));
  };

  /** Reads all samples of the targets that may have changed. */
  const compareTargets = ({ units, targetPlaces, sections }: Block) => {
    for (const { comparison, place } of targetParts) comparison.begin(sections[place] as Section);
    const filled = targetParts.filter(({ place }) => (sections[place] as Section).keys.length > 0);
    for (const place of targetPlaces) {
      const state = units.targets[place] as TargetState;
      for (const { comparison } of filled) comparison.beginUnit(place);
      for (const check of state.checks) {
        if (check.verdict === 'skipped') continue;
        for (const { readCheck, comparison } of checkParts)
          comparison.add(check.check, readCheck(check, state.target, view));
      }
      for (const [from, group] of otherParts)
        if (from === undefined || state.facts[from] !== undefined)
          for (const { part, comparison } of group) part.read(state, comparison, view);
      for (const { comparison } of filled) comparison.endUnit(place);
    }
  };

  const compareSubnets = (
    { part, place: index, comparison }: Placed<SubnetPart>,
    { units, subnetPlaces, sections }: Block,
  ) => {
    comparison.begin(sections[index] as Section);
    for (const place of subnetPlaces) {
      comparison.beginUnit(place);
      part.read(units.subnets[place] as SubnetState, comparison, view);
      comparison.endUnit(place);
    }
  };

  const keep = ({ sections, none }: Block, place: number, of: Part['of'], section: Section) => {
    sections[place] = section.keys.length === 0 ? none[of] : section;
  };

  function* renderBlock(block: Block): Generator<void, void> {
    const { units, targetPlaces, subnetPlaces, sections } = block;
    if (targetPlaces.length > 0) {
      compareTargets(block);
      yield;
      for (const { part, place, comparison } of targetParts) {
        const renewal = { part, units: units.targets, places: targetPlaces, view };
        keep(block, place, 'target', writer.renew(sections[place] as Section, comparison, renewal));
        yield;
      }
    }
    if (subnetPlaces.length === 0) return;
    for (const placed of subnetParts) {
      const { part, place, comparison } = placed;
      compareSubnets(placed, block);
      const renewal = { part, units: units.subnets, places: subnetPlaces, view };
      keep(block, place, 'subnet', writer.renew(sections[place] as Section, comparison, renewal));
      yield;
    }
  }

  return {
    *render(snapshot) {
      blocks = prepare(snapshot);
      for (const block of blocks) yield* renderBlock(block);
      return blocks.map(({ units, sections }) => ({ units, sections: [...sections] }));
    },
  };
}
