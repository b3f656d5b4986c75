import { styleText } from 'node:util';
import { parseServerSettings, readEnvironment } from '../daemon/settings.ts';
import { beginSentence, formatCount, listNames } from '../lib/words.ts';
import type { ProblemSeverity } from '../model/severity.ts';
import { withChainspecs } from './examine-chainspec.ts';
import { withMachine } from './examine-machine.ts';
import type { Unexamined } from './list-examinations.ts';
import { type DoctorFinding, type DoctorReport, listFindings } from './list-findings.ts';
import { probeOnce } from './probe-once.ts';
import { type ExitCode, escapeText, printLine, refuse, toJson } from './report.ts';

const STYLE: Readonly<Record<ProblemSeverity, Parameters<typeof styleText>[0]>> = {
  critical: ['red', 'bold'],
  warning: ['yellow', 'bold'],
  info: 'bold',
};

/** More names than these are counted. */
const MAX_NAMES = 8;

/** What several targets have alike, by the first of them. */
interface Alike extends DoctorFinding {
  readonly others: readonly string[];
}

/** Findings that differ only in their target are printed once. Each keeps its own texts in the JSON. */
function joinAlike(findings: readonly DoctorFinding[]): readonly Alike[] {
  const groups = Map.groupBy(findings, ({ finding, subnet, component, name, summary }, index) =>
    name === undefined ? index : JSON.stringify([finding, subnet, component, summary.replaceAll(name, '')]),
  );
  return [...groups.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, others: rest.flatMap(({ name }) => name ?? []) }],
  );
}

const describeFinding = ({ subnet, name, summary, evidence, fix, others }: Alike): readonly string[] => [
  `  ${escapeText(`${name === undefined ? subnet : `${subnet} ${name}`}: ${summary}`)}`,
  `    seen: ${escapeText(evidence)}`,
  ...(fix === '' ? [] : [`    fix: ${escapeText(fix)}`]),
  ...(others.length === 0 ? [] : [`    same for ${escapeText(listNames(others, MAX_NAMES))}`]),
];

const describeUnexamined = ({ subnet, what, names, because, fix }: Unexamined): string =>
  escapeText(
    `not examined: ${listNames(names, MAX_NAMES)} (${subnet}): ${what}, because ${because}${fix === undefined ? '' : `; ${fix}`}`,
  );

/** What should have been examined, and could not be. */
const findMissed = ({ unexamined }: DoctorReport): readonly Unexamined[] => unexamined.filter(({ failed }) => failed);

function summarize(report: DoctorReport): string {
  const { findings, examined } = report;
  const missed = findMissed(report).reduce((sum, { names }) => sum + names.length, 0);
  const examinedWords = `${formatCount(examined, 'thing was', 'things were')} examined${missed === 0 ? '' : `, ${missed} could not be`}`;
  if (findings.length === 0) return `nothing to change${missed === 0 ? '' : ' in what was seen'}: ${examinedWords}`;
  const bySeverity = Map.groupBy(findings, ({ severity }) => severity);
  const parts = [...bySeverity].map(([severity, own]) => `${own.length} ${severity}`);
  return `${formatCount(findings.length, 'finding', 'findings')}: ${parts.join(', ')}; ${examinedWords}`;
}

/** A report for people, line by line. */
export function describeReport(report: DoctorReport): readonly string[] {
  const { findings, unexamined } = report;
  const groups = Map.groupBy(findings, ({ severity }) => severity);
  return [
    ...[...groups].flatMap(([severity, own]) => [
      styleText(STYLE[severity], beginSentence(severity), { stream: process.stdout }),
      ...joinAlike(own).flatMap((one) => [...describeFinding(one), '']),
    ]),
    ...unexamined.map(describeUnexamined),
    ...(unexamined.length > 0 ? [''] : []),
    summarize(report),
  ];
}

/**
 * `subnetd doctor`: examines everything once and prints what is worth a change. Exit 1 with findings, and when something that
 * the inventory names could not be examined.
 */
export async function doctor(flags: {
  readonly config?: string;
  readonly json?: boolean;
  readonly folder?: string;
}): Promise<ExitCode> {
  const server = parseServerSettings(readEnvironment(), {});
  if (!server.ok) return refuse('subnetd doctor', ...server.errors);
  const { port } = server.listen;
  const probed = await probeOnce({ ...flags, ...(port > 0 && { ownPort: port }) }, ['parent', 'setup']);
  if (probed === undefined) return 2;
  if (flags.folder !== undefined && probed.snapshot.length > 1)
    return refuse('subnetd doctor', '--folder is for an inventory of one subnet; give such an inventory by --config.');
  const { snapshot } = probed;
  const found = withMachine(withChainspecs(listFindings(snapshot), snapshot, flags.folder), snapshot);
  if (flags.json) printLine(toJson(found, 2));
  else for (const line of describeReport(found)) printLine(line);
  return found.findings.length > 0 || findMissed(found).length > 0 || probed.broke ? 1 : 0;
}
