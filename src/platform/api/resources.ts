import type { Resource, TextMember } from '../model/resource.ts';

const name = (member: string, column: string, example: string): TextMember => ({
  kind: 'text',
  name: member,
  column,
  maxLength: 200,
  example,
});

/** The people who may use the API. Source: section 2.1 of the specification. */
export const adminUser: Resource = {
  name: 'AdminUser',
  noun: 'admin user',
  plural: 'admin users',
  table: 'admin_user',
  idMember: 'UserID',
  operations: { list: 'listAdminUsers', add: 'addAdminUser', update: 'updateAdminUser' },
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
    {
      kind: 'text',
      name: 'IndustryName',
      column: 'industry_name',
      maxLength: 200,
      key: { column: 'industry_name_key' },
      example: 'Shipping',
    },
    {
      kind: 'text',
      name: 'ImagePath',
      column: 'image_path',
      maxLength: 500,
      format: 'path',
      example: 'images/shipping.png',
    },
    { kind: 'boolean', name: 'IsDeleted', column: 'is_deleted', example: false },
  ],
  naturalKey: ['IndustryName'],
  flag: { member: 'IsDeleted', outOfUse: true },
  writeScope: 'lists',
  codes: { missing: 1004, duplicate: 1012 },
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
    {
      kind: 'text',
      name: 'ContractName',
      column: 'contract_name',
      maxLength: 200,
      key: { column: 'contract_name_key' },
      example: 'Invoice Factoring',
    },
    { kind: 'boolean', name: 'IsDeleted', column: 'is_deleted', example: false },
  ],
  naturalKey: ['ContractName'],
  flag: { member: 'IsDeleted', outOfUse: true },
  writeScope: 'lists',
  codes: { missing: 1004, duplicate: 1012 },
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
    {
      kind: 'text',
      name: 'SkillName',
      column: 'skill_name',
      maxLength: 200,
      key: { column: 'skill_name_key', within: 'industry_id' },
      example: 'Freight',
    },
    {
      kind: 'text',
      name: 'ImagePath',
      column: 'image_path',
      maxLength: 500,
      format: 'path',
      example: 'images/freight.png',
    },
    { kind: 'reference', name: 'IndustryName', column: 'industry_id', to: industry, example: 'Shipping' },
    { kind: 'boolean', name: 'IsDeleted', column: 'is_deleted', example: false },
  ],
  naturalKey: ['SkillName', 'IndustryName'],
  flag: { member: 'IsDeleted', outOfUse: true },
  writeScope: 'lists',
  codes: { missing: 1004, duplicate: 1012 },
};

/** Every resource of the API, in the order of the specification. */
export const resources: readonly Resource[] = [adminUser, projectType, sector, industry];
