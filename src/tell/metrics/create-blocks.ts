import type { Snapshot, TargetState } from '../../model/snapshot.ts';
import { type Comparison, createComparison } from './create-comparison.ts';
import { createIntervals } from './create-intervals.ts';
import { createSectionWriter } from './create-section-writer.ts';
import { areLike, cutSnapshot, type Units } from './cut-snapshot.ts';
import type { Part, SubnetPart, TargetPart, View } from './parts.ts';
import { emptySection, type Section } from './section.ts';

/** A block of a page, until the next page is rendered. */
export interface Block {
  readonly units: Units;
  /** By part. */
  readonly sections: readonly Section[];
  /** Of its targets, and of its subnets, when a part has no sample of them. */
  readonly none: { readonly target: Section; readonly subnet: Section };
}

/** The text of all targets, kept by blocks of them. */
export interface Blocks {
  /**
   * Renders a snapshot in steps of a few milliseconds, and returns its blocks. Only what differs from the last snapshot that was
   * rendered to its end is written again.
   */
  render(snapshot: Snapshot): Generator<void, readonly Block[]>;
}

/** A part, where it stands among all, and what its samples are compared with. */
interface Placed<P> {
  readonly part: P;
  readonly place: number;
  readonly comparison: Comparison;
}

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

/** So many targets are read in a step, which takes a millisecond. */
const STEP_TARGETS = 256;

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
  const otherParts = Array.from(
    Map.groupBy(
      targetParts.filter(({ part }) => part.readCheck === undefined),
      ({ part }) => part.family.from,
    ),
    ([from, group]) => ({ from, group }),
  );

  let blocks: readonly Block[] = [];
  let wallOfZero: number | undefined;

  const createBlock = (units: Units): Block => {
    const none = { target: emptySection(units.targets.length), subnet: emptySection(units.subnets.length) };
    return { units, none, sections: parts.map(({ of }) => none[of]) };
  };

  /** Reads all samples of a target. In a function of its own they take two thirds of the time that they took in the generator. */
  const compareTarget = (state: TargetState) => {
    for (const check of state.checks) {
      if (check.verdict === 'skipped') continue;
      for (const { readCheck, comparison } of checkParts)
        comparison.add(check.check, readCheck(check, state.target, view));
    }
    for (const { from, group } of otherParts)
      if (from === undefined || state.facts[from] !== undefined)
        for (const { part, comparison } of group) part.read(state, comparison, view);
  };

  /** Reads the targets that may have changed. */
  function* compareTargets({ units, sections }: Block, places: readonly number[]): Generator<void, void> {
    for (const { comparison, place } of targetParts) comparison.begin(sections[place] as Section);
    const filled = targetParts.flatMap(({ place, comparison }) =>
      (sections[place] as Section).keys.length > 0 ? [comparison] : [],
    );
    for (const [index, place] of places.entries()) {
      if (index % STEP_TARGETS === STEP_TARGETS - 1) yield;
      for (const comparison of filled) comparison.beginUnit(place);
      compareTarget(units.targets[place] as TargetState);
      for (const comparison of filled) comparison.endUnit(place);
    }
  }

  /** Reads all samples of the subnets, which are few. */
  const compareSubnets = ({ part, place, comparison }: Placed<SubnetPart>, { units, sections }: Block) => {
    comparison.begin(sections[place] as Section);
    for (const [index, state] of units.subnets.entries()) {
      comparison.beginUnit(index);
      part.read(state, comparison, view);
      comparison.endUnit(index);
    }
  };

  /** The block with what its units have now. Targets at other places than these are as they were. */
  function* renew(block: Block, places: readonly number[]): Generator<void, Block> {
    const { units, none } = block;
    const sections = [...block.sections];
    const keep = (place: number, of: Part['of'], section: Section) => {
      sections[place] = section.keys.length === 0 ? none[of] : section;
    };
    if (places.length > 0) {
      yield* compareTargets(block, places);
      yield;
      for (const { part, place, comparison } of targetParts) {
        const source = { part, units: units.targets, view };
        keep(place, 'target', writer.renew(sections[place] as Section, comparison, source));
        yield;
      }
    }
    for (const placed of subnetParts) {
      const { part, place, comparison } = placed;
      compareSubnets(placed, block);
      const source = { part, units: units.subnets, view };
      keep(place, 'subnet', writer.renew(sections[place] as Section, comparison, source));
      yield;
    }
    return { ...block, sections };
  }

  return {
    *render(snapshot) {
      const changed = intervals.renew(new Set(snapshot.map(({ subnet }) => subnet.name)));
      // When the wall clock is set, all times move. After a page that broke, nothing is known.
      const wall = toWall(0);
      const isClockSet = wall !== wallOfZero;
      wallOfZero = undefined;
      const rendered: Block[] = [];
      for (const [index, units] of cutSnapshot(snapshot, blockTargets).entries()) {
        const last = blocks[index];
        const before = last !== undefined && areLike(last.units, units) ? last : undefined;
        const isAll = isClockSet || units.slices.some(({ subnet }) => changed.has(subnet));
        const places = placesOf(
          units.targets,
          (state, place) => isAll || before === undefined || state !== before.units.targets[place],
        );
        yield;
        rendered.push(yield* renew(before === undefined ? createBlock(units) : { ...before, units }, places));
      }
      blocks = rendered;
      wallOfZero = wall;
      return rendered;
    },
  };
}
