import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readGrowth } from '../bench/growth-page.ts';
import { situationTable } from '../src/platform/api/code-situations.ts';
import { alertRules } from '../src/tell/alerts/alert-rules.ts';
import { plainWords } from '../src/tell/alerts/runbooks.ts';
import { createOwnMetrics } from '../src/tell/metrics/create-own-metrics.ts';
import { families } from '../src/tell/metrics/families.ts';
import { inventorySchema } from '../src/watch/inventory/schema.ts';
import { knownFailures } from '../src/watch/rules/known-failures.ts';
import { logPatternsPage } from './log-patterns.ts';
import { confirmTimes, problemsParagraph, problemsTable } from './problem-tables.ts';
import { specificationTable } from './specification-table.ts';
import { wrapLines } from './wrap-lines.ts';

/**
 * Writes what is made from the code: the JSON Schema of the inventory, and the tables of the documentation between their
 * markers. A test compares them with what is committed.
 */
const root = new URL('../', import.meta.url);

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
}

const jsonSchema = () => z.toJSONSchema(inventorySchema, { io: 'input' });

/** A mapping by its members, those that may be missing with a question mark. */
const membersOf = (properties: NonNullable<Schema['properties']>, required: readonly string[]): string =>
  `\`{ ${Object.keys(properties)
    .map((key) => `${key}${required.includes(key) ? '' : '?'}`)
    .join(', ')} }\``;

function typeOf({ type, enum: values, anyOf, properties, required = [], additionalProperties }: Schema): string {
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (properties) return membersOf(properties, required);
  if (additionalProperties) return `names with ${typeOf(additionalProperties)}`;
  return values?.join(', ') ?? type ?? 'any';
}

/** Every setting that has a description, with its path, in the order of the schema. */
function settingRows(schema: Schema, path: string): readonly string[] {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const below = branches.flatMap((branch) => [
    ...Object.entries(branch.properties ?? {}).flatMap(([key, value]) =>
      settingRows(value, path === '' ? key : `${path}.${key}`),
    ),
    ...(branch.items ? settingRows(branch.items, `${path}[]`) : []),
  ]);
  if (schema.description === undefined) return below;
  const fallback = schema.default === undefined || below.length > 0 ? '' : `\`${JSON.stringify(schema.default)}\``;
  return [`| \`${path}\` | ${typeOf(schema)} | ${fallback} | ${schema.description} |`, ...below];
}

const settingsTable = (): string =>
  ['| setting | type | default | what |', '| --- | --- | --- | --- |', ...settingRows(jsonSchema() as Schema, '')].join(
    '\n',
  );

async function metricsTable(): Promise<string> {
  const subnetRows = families.map(
    ({ name, type, help, labels }) => `| \`${name}\` | ${type} | ${labels} | ${help.replaceAll('<', '&lt;')} |`,
  );
  const shard = { index: 0, total: 2 };
  const other = { shard: { index: 1, total: 2 }, sight: 'seen', instances: [] } as const;
  const own = createOwnMetrics(
    { version: '', commit: '' },
    {
      shard,
      fleet: () => ({ instance: '', shard, shards: [other], elsewhere: [], differing: [] }),
      enginesUp: () => new Map([['default', true]]),
      isDatabaseUp: () => true,
      locks: () => new Map([['retention', true]]),
      lastReload: () => ({ successful: true, successAt: 0, hash: 0 }),
      logMessages: new Map([['info', 0]]),
      alerts: () => ({ sent: 0, failed: 0, dropped: 0 }),
      historyDropped: () => 0,
      internalErrors: new Map([['diagnosis', 0]]),
      openDescriptors: () => 0,
      maxDescriptors: () => 0,
      connections: () => ({ open: 0, max: 0, dropped: 0 }),
    },
  );
  own.roundLate('', 'rpc');
  own.roundFinished('', 'rpc', 0);
  own.requestFinished('', '', 200, 0);
  const page = await own.render('text');
  own.stop();
  const ownRows = [...page.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n(?:\S+?\{([^}]*)\})?/gm)].map(
    ([, name, help, type, sample = '']) => {
      const labels = [...sample.matchAll(/(\w+)=/g)].map(([, label]) => label).filter((label) => label !== 'le');
      return `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`;
    },
  );
  return ['| metric | type | labels | what |', '| --- | --- | --- | --- |', ...subnetRows, ...ownRows].join('\n');
}

const alertsTable = (): string =>
  [
    '| alert | severity | after | what |',
    '| --- | --- | --- | --- |',
    ...alertRules.map(
      ({ name, severity, for: wait, summary }) =>
        `| [${name}](alerts/${name}.md) | ${severity} | ${confirmTimes(name) ?? wait} | ${plainWords(summary)} |`,
    ),
  ].join('\n');

const knownFailureSections = (): string =>
  knownFailures
    .map(({ name, of, symptom, cause, fix }) =>
      [
        `## ${name}\n\nOf: ${of.join(', ')}.\n`,
        ...[`**Symptom**: ${symptom}`, `**Cause**: ${cause}`, `**Fix**: ${fix}.`].map((item) => wrapLines(`- ${item}`)),
      ].join('\n'),
    )
    .join('\n\n');

/** A page with the text between its markers replaced. */
function withTable(file: string, table: string): string {
  const page = readFileSync(new URL(file, root), 'utf8');
  const [before, after] = [page.indexOf('<!-- table -->'), page.indexOf('<!-- end of table -->')];
  if (before === -1 || after === -1) throw new Error(`${file} has no markers for its table`);
  return `${page.slice(0, before)}<!-- table -->\n\n${table}\n\n${page.slice(after)}`;
}

/** A runbook with the times of its problems, in the paragraph that begins with this word. */
function withProblems(alert: string, paragraph: string): string {
  const file = `docs/alerts/${alert}.md`;
  const page = readFileSync(new URL(file, root), 'utf8');
  if (!/^\*\*Problems\*\*: /m.test(page)) throw new Error(`${file} has no paragraph **Problems**: …`);
  return page.replace(/^\*\*Problems\*\*: [\s\S]*?(?=\n\n)/m, () => paragraph);
}

const runbooks = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    alertRules.flatMap(({ name }) => {
      const paragraph = problemsParagraph(name);
      return paragraph === undefined ? [] : [[`docs/alerts/${name}.md`, withProblems(name, paragraph)] as const];
    }),
  );

/** Every generated file with the content that it should have. */
export const generated = async (): Promise<Readonly<Record<string, string>>> => ({
  'config/inventory.schema.json': `${JSON.stringify(jsonSchema(), null, 2)}\n`,
  'docs/alerts.md': withTable('docs/alerts.md', alertsTable()),
  'docs/checks.md': withTable('docs/checks.md', specificationTable()),
  'docs/configuration.md': withTable('docs/configuration.md', settingsTable()),
  'docs/known-failures.md': withTable('docs/known-failures.md', knownFailureSections()),
  'docs/log-patterns.md': logPatternsPage(),
  'docs/metrics.md': withTable('docs/metrics.md', await metricsTable()),
  'docs/platform-api.md': withTable('docs/platform-api.md', situationTable()),
  'docs/problems.md': withTable('docs/problems.md', problemsTable()),
  ...runbooks(),
  ...readGrowth(),
});

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of Object.entries(await generated())) writeFileSync(new URL(file, root), text);
