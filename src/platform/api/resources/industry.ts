import type { Resource } from '../../model/resource.ts';

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
