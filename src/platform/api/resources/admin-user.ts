import type { Resource, TextMember } from '../../model/resource.ts';

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
      example: 'a long sentence is best',
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
