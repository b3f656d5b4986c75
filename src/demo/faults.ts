import { type DemoClient, TITLES } from './demo-client.ts';
import { type Effects, mergeEffects } from './effects.ts';
import { type Changes, changesOf, type DemoParts } from './expected-changes.ts';
import { problemsOf } from './expected-problems.ts';
import { FAULTS, type FaultEntry } from './fault-table.ts';

export type FaultName = keyof typeof FAULTS;

const TABLE: Readonly<Record<FaultName, FaultEntry>> = FAULTS;

/** The names of what `subnetd demo --fault` can break. */
export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** A fault of the demo: `what` breaks, in a sentence, and exactly what changes once things have settled. */
export interface DemoFault extends Changes {
  readonly name: FaultName;
  readonly what: string;
  /** The problems that it brings, each with the name of what has it, as `node_stalled subnet2`. */
  readonly problems: readonly string[];
  /** What it takes to see it, when that is not there; then nothing changes. */
  readonly needs?: string;
}

/** The names that the demo gives to its nodes: subnet1, subnet2, … */
export const demoNodeNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `subnet${index + 1}`);

/** What is broken when these faults are switched on together. */
export const effectsOf = (faults: readonly FaultName[]): Effects =>
  mergeEffects(faults.map((fault) => TABLE[fault].effects));

/** What changes when these faults are switched on together: a check that one fails and another degrades fails. */
export const expectedChanges = (faults: readonly FaultName[], parts: DemoParts): Changes =>
  changesOf(effectsOf(faults), parts);

/** The problems that these faults bring together, each with the name of what has it. */
export const expectedProblems = (faults: readonly FaultName[], parts: DemoParts): readonly string[] =>
  problemsOf(effectsOf(faults), parts);

/** What it takes to see this fault, as a sentence, when it is not there. */
export const missingFor = (fault: FaultName, { browser }: DemoParts): string | undefined =>
  TABLE[fault].effects.consoleError && !browser
    ? `Nothing shows ${fault} here, as there is no Chromium on the PATH; install one, on Debian by apt-get install chromium.`
    : undefined;

/** Every fault that a subnet of these parts can have; the names of nodes are those of `demoNodeNames`. */
export const listFaults = (parts: DemoParts): readonly DemoFault[] =>
  FAULT_NAMES.filter((name) => findFaultErrors([name], parts.nodes.length, parts.clients).length === 0).map((name) => {
    const needs = missingFor(name, parts);
    const { what } = TABLE[name];
    return { name, what, problems: expectedProblems([name], parts), ...expectedChanges([name], parts), needs };
  });

/** Whether a word names a fault. */
export const isFaultName = (word: string): word is FaultName => (FAULT_NAMES as readonly string[]).includes(word);

/**
 * Why a subnet with this many nodes, which run these clients, cannot have these faults: one sentence per fault, none when it
 * can.
 */
export const findFaultErrors = (
  faults: readonly FaultName[],
  nodes: number,
  clients: readonly DemoClient[] = [],
): readonly string[] =>
  faults.flatMap((name) => {
    const { least = 1, because, notIn } = TABLE[name];
    const client = clients[1] ?? 'go';
    const not = notIn?.[client];
    if (least > nodes)
      return [
        `The fault ${name} needs at least ${least} nodes, as ${because}; start the demo with --nodes ${least} or more.`,
      ];
    return not === undefined
      ? []
      : [`The fault ${name} cannot happen to ${TITLES[client]}, ${not}; give subnet2 another client in --clients.`];
  });
