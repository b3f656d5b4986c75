import type { Schema } from './read-operations.ts';

const TITLES: Readonly<Record<string, string>> = {
  AdminUser: 'Admin users',
  ProjectType: 'Project types',
  Sector: 'Sectors',
  Industry: 'Industries',
  Auth: 'Tokens',
  Otp: 'One-time codes',
  Account: 'Accounts',
  Image: 'Images',
  ApiKey: 'API keys',
  Audit: 'Audit trail',
};

/** What a section is called: a tag without a title of its own by its words. */
export const titleOfTag = (tag: string): string =>
  TITLES[tag] ?? tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The id of a group on the index, which no operation has. */
export const idOfTag = (tag: string): string => `section-${tag}`;

/** The path of the page with all codes, and of the section of one. */
export const CODES_PATH = '/docs/codes';
export const codePath = (code: number): string => `${CODES_PATH}#code-${code}`;

/** The path of the page of a group of operations. */
export const pathOfTag = (tag: string): string => `/docs/${titleOfTag(tag).toLowerCase().replaceAll(' ', '-')}`;

/** Where an operation stands. */
export const operationPath = ({ tag, id }: { readonly tag: string; readonly id: string }): string =>
  `${pathOfTag(tag)}#${id}`;

/** The type of a value, for people. */
export function typeOf(schema: Schema): string {
  const { type, anyOf, items, enum: choices, format } = schema;
  if (format === 'binary') return 'file';
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return items === undefined ? 'array' : `array of ${typeOf(items)}`;
  if (type === undefined) return choices === undefined ? 'any' : 'string';
  return [type].flat().join(' or ');
}

/** What a value must be, one sentence each. */
export function rulesOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, items, default: initial, description } = schema;
  const choices = schema.enum ?? items?.enum;
  const rules = [
    maxLength === undefined
      ? ''
      : minLength === maxLength
        ? `${maxLength} characters.`
        : `${minLength ?? 0} to ${maxLength} characters.`,
    maximum === undefined ? '' : `${minimum ?? 0} to ${maximum}.`,
    choices === undefined ? '' : `${items === undefined ? 'One' : 'Any'} of ${choices.join(', ')}.`,
    initial === undefined ? '' : `By default ${JSON.stringify(initial)}.`,
    description ?? '',
  ];
  return rules.filter(Boolean).join(' ');
}

/** What a code means, without the place of the bound that a message fills in. */
export const meaningOf = (meaning: string): string => meaning.replace(/ \{\{\w+\}\}$/, '');
