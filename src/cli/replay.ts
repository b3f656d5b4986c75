import { isRecord, parseJson } from '../lib/values.ts';
import { findDifferences, type Replay, replay } from '../watch/monitor/replay.ts';
import { readGiven } from './read-given.ts';
import { type ExitCode, escapeText, printLine, refuse, toJson } from './report.ts';

/** What a file holds of a diagnosis: the export of an incident as JSON, its capsule, or the member `replay` of that alone. */
function findPacked(content: string): string | undefined {
  if (/^[\w+/=]+\s*$/.test(content)) return content.trim();
  const value = parseJson(content);
  const capsule = isRecord(value) && isRecord(value.capsule) ? value.capsule : value;
  return isRecord(capsule) && typeof capsule.replay === 'string' ? capsule.replay : undefined;
}

function tryReplay(packed: string): Replay | undefined {
  try {
    return replay(packed);
  } catch {
    return undefined;
  }
}

/** The flags of `subnetd replay`, as they are typed. */
export interface ReplayFlags {
  readonly json?: boolean;
}

/**
 * `subnetd replay FILE`: diagnoses again what the capsule of an incident has kept, and says what this version tells otherwise. Exit 0
 * when it tells the same, 1 when it does not, 2 when the file holds no such capsule.
 */
export async function replayCapsule(file: string, { json = false }: ReplayFlags): Promise<ExitCode> {
  const NAME = 'subnetd replay';
  const { content, why = '' } = await readGiven(file);
  if (content === undefined) return refuse(NAME, why);
  const packed = findPacked(content);
  if (packed === undefined)
    return refuse(NAME, `${file} holds no capsule with a diagnosis; export an incident as JSON from its page`);
  const done = tryReplay(packed);
  if (done === undefined) return refuse(NAME, `${file} holds a capsule that is damaged, or of a later version`);
  const differences = findDifferences(done);
  if (json) printLine(toJson({ ...done, differences }, 2));
  else {
    printLine(escapeText(done.after.headline));
    for (const one of done.after.problems) {
      const subject = [one.problem, one.component, one.name].filter((each) => each !== undefined).join(' ');
      printLine(escapeText(`${subject}  ${one.severity}  ${one.state}`));
      for (const words of [one.evidence, one.fix]) printLine(escapeText(`  ${words}`));
    }
    printLine('');
    printLine(
      differences.length === 0
        ? `the same as version ${escapeText(done.version)} told`
        : `version ${escapeText(done.version)} told otherwise:`,
    );
    for (const difference of differences) printLine(escapeText(difference));
  }
  return differences.length === 0 ? 0 : 1;
}
