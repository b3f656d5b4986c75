import { MAX_INTEGER } from '../../model/resource.ts';
import type { CallMember } from '../call.ts';
import { type Body, checkInteger, requireMember } from '../check-value.ts';
import type { Outcome } from '../outcome.ts';

const NAME = 'UserID';

/** The member by which a call names an admin user. */
export const USER_ID: CallMember = {
  name: NAME,
  isRequired: true,
  schema: { type: 'integer', minimum: 1, maximum: MAX_INTEGER, examples: [2] },
};

/** Reads the id of the admin user that a call names, who may not exist. */
export function readUserId(body: Body): Outcome<number> {
  const present = requireMember(body, NAME);
  return present.ok ? checkInteger(present.value, NAME) : present;
}
