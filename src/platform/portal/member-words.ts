import type { Member, Value } from '../model/resource.ts';

const LABELS: Readonly<Record<string, string>> = {
  AllowedIPs: 'Allowed addresses',
  ContractName: 'Contract type',
  SkillName: 'Sector name',
  EmailID: 'E-mail',
  MobileNo: 'Mobile number',
  IsActive: 'Active',
  IsDeleted: 'Deleted',
  CreateDate: 'Added',
  UpdateDate: 'Changed',
};

/** The name of a member for people: `Industry name` for `IndustryName`. */
export function labelOf(name: string, kind?: Member['kind']): string {
  const known = LABELS[name];
  if (known !== undefined) return known;
  const [first = '', ...rest] = name.split(/(?<=[a-z])(?=[A-Z])/);
  const words = [first, ...rest.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))];
  // A reference is named by the name of what it refers to.
  return (kind === 'reference' && words.at(-1) === 'name' ? words.slice(0, -1) : words).join(' ');
}

/** A value for people. */
export function valueText(value: Value | undefined): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
