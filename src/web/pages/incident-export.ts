import { formatSecond, toIso } from '../../lib/duration.ts';
import { beginSentence } from '../../lib/words.ts';
import type { Incident, IncidentRecord } from '../../model/incident.ts';
import { describeAnswer, verdictOf } from './incident-parts.ts';
import { describeIncident, describeWork, durationOf, isMoment, stateOf, titleOf, toEntries } from './incident-words.ts';

const isoOf = (wallMs: number | undefined): string | null => (wallMs === undefined ? null : toIso(wallMs));

/** An incident for programs: times are ISO 8601 in UTC, and what is not known is null. */
export function incidentJson({ incident, capsule, timeline, notes, acknowledged }: IncidentRecord) {
  const { foundAt, startedAt, clearSince, covered, endedAt, end, ...others } = incident;
  const { notified, earlier, component, name, planned, last, ...rest } = others;
  const { restartAt, readAt, since, ...words } = last;
  return {
    ...rest,
    last: { ...words, restartAt: isoOf(restartAt), readAt: isoOf(readAt), since: isoOf(since) },
    component: component ?? null,
    name: name ?? null,
    runbook: `/alerts/${incident.alert}?${new URLSearchParams({ subnet: incident.subnet, ...(name !== undefined && { name }) })}`,
    foundAt: toIso(foundAt),
    startedAt: toIso(startedAt),
    clearSince: isoOf(clearSince),
    covered: covered === undefined ? null : { ...covered, since: toIso(covered.since) },
    endedAt: isoOf(endedAt),
    end: end ?? null,
    earlier: earlier ?? null,
    planned: planned === undefined ? null : { ...planned, until: toIso(planned.until) },
    acknowledged: acknowledged === undefined ? null : { ...acknowledged, at: toIso(acknowledged.at) },
    notified: notified.map((one) => ({ ...one, at: toIso(one.at) })),
    notes: notes.map((one) => ({ ...one, at: toIso(one.at) })),
    capsule:
      capsule === undefined
        ? null
        : {
            ...capsule,
            at: toIso(capsule.at),
            ...(capsule.doubleVotes && {
              doubleVotes: capsule.doubleVotes.map((one) => ({ ...one, at: toIso(one.at) })),
            }),
            targets: capsule.targets.map(({ exchanges, container, ...target }) => ({
              ...target,
              ...(container && {
                container: { ...container, startedAt: isoOf(container.startedAt) },
              }),
              exchanges: exchanges.map((one) => ({ ...one, at: toIso(one.at) })),
            })),
            logs: capsule.logs.map(({ lines, ...log }) => ({
              ...log,
              lines: lines.map(({ text, at }) => ({ text, at: isoOf(at) })),
            })),
          },
    timeline: {
      changes: (timeline?.changes ?? []).map((one) => ({ ...one, at: toIso(one.at) })),
      minutes: (timeline?.minutes ?? []).map((one) => ({ ...one, at: toIso(one.at) })),
    },
  };
}

/** A text in which nothing is Markdown or HTML, on one line. */
const plain = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~&-]/g, (mark) => (mark === '-' ? '-' : `\\${mark}`));

/** A block of text as it is; the fence is longer than any in it. */
function fenced(lines: readonly string[]): string {
  const longest = Math.max(2, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${lines.join('\n')}\n${fence}`;
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${plain(line)}`)
    .join('\n');

/** A post-mortem begins here: an incident as Markdown. */
export function incidentMarkdown(record: IncidentRecord, linked: readonly Incident[], nowWall: number): string {
  const { incident, capsule, notes, acknowledged } = record;
  const { id, foundAt, endedAt, severity, alert, last, notified, planned } = incident;
  const links = (title: string, ids: readonly string[]) =>
    linked.filter((one) => ids.includes(one.id)).map((one) => `| ${title} | ${plain(titleOf(one))}, ${one.id} |`);
  const sections = [
    `# ${plain(titleOf(incident))}`,
    plain(describeIncident(incident, nowWall)),
    [
      '| what | |',
      '| --- | --- |',
      `| Incident | ${id} |`,
      `| State | ${stateOf(incident).word} |`,
      `| Began | ${formatSecond(foundAt)} |`,
      `| Ended | ${endedAt === undefined ? 'not yet' : formatSecond(endedAt)} |`,
      ...(isMoment(incident) ? [] : [`| Lasted | ${durationOf(incident, nowWall)} |`]),
      `| Severity | ${severity} |`,
      `| Alert | ${plain(alert)} |`,
      ...(planned === undefined ? [] : [`| Planned | ${plain(describeWork(planned))} |`]),
      ...(acknowledged === undefined
        ? []
        : [`| Acknowledged | ${plain(acknowledged.by)}, ${formatSecond(acknowledged.at)} |`]),
      ...notified.map(({ at, to, phase }) => `| Accepted, ${phase} | ${plain(to)}, ${formatSecond(at)} |`),
      ...links('Caused by', incident.causes),
      ...links('Led to', incident.effects),
      ...links('Previous occurrence', incident.earlier === undefined ? [] : [incident.earlier]),
    ].join('\n'),
    `## What to do\n\n${plain(beginSentence(last.fix))}.`,
    `## What changed\n\n${toEntries(record)
      .map(({ at, subject, text }) => `- ${formatSecond(at)}: **${plain(subject)}** ${plain(text)}`)
      .join('\n')}`,
  ];
  if (capsule !== undefined) {
    sections.push(
      `## At ${formatSecond(capsule.at)}`,
      [
        '| target | state | vote | height | peers | last answer | container |',
        '| --- | --- | --- | --- | --- | --- | --- |',
        ...capsule.targets.map((one) => {
          const { name, vote = '', height = '', peers = '', container } = one;
          const cells = [name, verdictOf(one).word, vote, height, peers, describeAnswer(one), container?.status ?? ''];
          return `| ${cells.map((cell) => plain(String(cell))).join(' | ')} |`;
        }),
      ].join('\n'),
      ...capsule.logs
        .filter(({ lines }) => lines.length > 0)
        .map(({ name, lines }) => `### Log of ${plain(name)}\n\n${fenced(lines.map(({ text }) => text))}`),
    );
  }
  sections.push(
    `## Notes\n\n${notes.length === 0 ? 'None.' : notes.map(({ at, author, text }) => `${plain(author)}, ${formatSecond(at)}:\n\n${quoted(text)}`).join('\n\n')}`,
    '## Why it happened\n\n## What went well\n\n## What to change',
  );
  return `${sections.join('\n\n')}\n`;
}
