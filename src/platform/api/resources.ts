import type { Resource, TextMember } from '../model/resource.ts';

const name = (member: string, column: string, example: string): TextMember => ({
  kind: 'text',
  name: member,
  column,
  maxLength: 200,
  example,
});

const image = (example: string): TextMember => ({
  ...name('ImagePath', 'image_path', example),
  maxLength: 500,
  format: 'path',
});

const isDeleted = { kind: 'boolean', name: 'IsDeleted', column: 'is_deleted', example: false } as const;

/** What the lists besides admin users have alike. */
const list = {
  flag: { member: 'IsDeleted', outOfUse: true },
  writeScope: 'lists',
  codes: { missing: 1004, duplicate: 1012 },
} as const;

/** The people who may use the API. Source: section 2.1 of the specification. */
export const adminUser: Resource = {
  name: 'AdminUser',
  noun: 'admin user',
  plural: 'admin users',
  table: 'admin_user',
  idMember: 'UserID',
  operations: { list: 'listAdminUsers', add: 'addAdminUser', update: 'updateAdminUser' },
  // Rule 1 of section 4.
  listInSpecification: {
    title: 'Check Account Existence',
    about:
      'The account exists if it is in the list; `UserName` or `EmailID` in the query looks for one, and an empty list says that there is none.',
  },
  members: [
    name('FirstName', 'first_name', 'Grace'),
    name('LastName', 'last_name', 'Hopper'),
    { ...name('UserName', 'user_name', 'grace'), key: { column: 'user_name_key' } },
    {
      kind: 'password',
      name: 'Password',
      column: 'password_hash',
      minLength: 8,
      maxLength: 1024,
      unlike: 'UserName',
      example: 'a long phrase is best',
    },
    {
      ...name('EmailID', 'email_id', 'grace@example.com'),
      maxLength: 254,
      format: 'email',
      key: { column: 'email_id_key', ignoresCase: true },
    },
    { kind: 'unset', name: 'MobileNo', column: 'mobile_no' },
    { kind: 'boolean', name: 'IsActive', column: 'is_active', example: true },
  ],
  naturalKey: ['UserName'],
  flag: { member: 'IsActive', outOfUse: false },
  codes: { missing: 1121, duplicate: 1103 },
};

/** Industries, which own sectors. Source: section 2.4 of the specification. */
export const industry: Resource = {
  name: 'Industry',
  noun: 'industry',
  plural: 'industries',
  table: 'industry',
  idMember: 'IndustryID',
  operations: { list: 'listIndustries', add: 'addIndustry', update: 'updateIndustry' },
  members: [
    { ...name('IndustryName', 'industry_name', 'Shipping'), key: { column: 'industry_name_key' } },
    image('images/shipping.png'),
    isDeleted,
  ],
  naturalKey: ['IndustryName'],
  ...list,
};

/** Kinds of projects. Source: section 2.2 of the specification. */
export const projectType: Resource = {
  name: 'ProjectType',
  noun: 'project type',
  plural: 'project types',
  table: 'project_type',
  idMember: 'ProjectTypeID',
  operations: { list: 'listProjectTypes', add: 'addProjectType', update: 'updateProjectType' },
  members: [
    { ...name('ContractName', 'contract_name', 'Invoice Factoring'), key: { column: 'contract_name_key' } },
    isDeleted,
  ],
  naturalKey: ['ContractName'],
  ...list,
};

/** Sectors, each of one industry. Source: section 2.3 of the specification. */
export const sector: Resource = {
  name: 'Sector',
  noun: 'sector',
  plural: 'sectors',
  table: 'sector',
  idMember: 'SectorID',
  operations: { list: 'listSectors', add: 'addSector', update: 'updateSector' },
  members: [
    { ...name('SkillName', 'skill_name', 'Freight'), key: { column: 'skill_name_key', within: 'industry_id' } },
    image('images/freight.png'),
    { kind: 'reference', name: 'IndustryName', column: 'industry_id', to: industry, example: 'Shipping' },
    isDeleted,
  ],
  naturalKey: ['SkillName', 'IndustryName'],
  ...list,
};

/** Every resource of the API, in the order of the specification. */
export const resources: readonly Resource[] = [adminUser, projectType, sector, industry];
