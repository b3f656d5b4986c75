import type { Resource } from '../../model/resource.ts';
import { industry } from './industry.ts';

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
