import type { Resource } from '../../model/resource.ts';

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
