import { readFile } from 'node:fs/promises';
import type { AlertRule } from './alert-rule.ts';

/** The page of an alert, as Markdown. */
export const readRunbook = ({ name }: AlertRule): Promise<string> =>
  readFile(new URL(`../../../docs/alerts/${name}.md`, import.meta.url), 'utf8');

/** A text of an alert without its values: `the subnet {{ $labels.subnet }}` becomes `the subnet …`. */
export const plainWords = (template: string): string => template.replace(/\{\{.*?\}\}/g, '…');
