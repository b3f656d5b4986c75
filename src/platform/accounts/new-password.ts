import type { CallMember } from '../call.ts';
import { type Body, checkValue, requireMember } from '../check-value.ts';
import type { Outcome } from '../outcome.ts';
import { adminUser } from '../resources/admin-user.ts';

const [rule] = adminUser.members.filter((member) => member.kind === 'password');

function ruleOf(name: string) {
  if (rule === undefined) throw new Error('admin users have no password');
  return { ...rule, name };
}

/** The member of a body with a new password, by the rules of those of admin users. */
export const newPasswordMember = (name: string): CallMember => {
  const { minLength, maxLength, example } = ruleOf(name);
  const description = 'The new password.';
  return {
    name,
    isRequired: true,
    schema: { type: 'string', minLength, maxLength, format: 'password', description, examples: [example] },
  };
};

/** Checks the new password of a body. */
export function readNewPassword(body: Body, name: string): Outcome<string> {
  const present = requireMember(body, name);
  if (!present.ok) return present;
  const checked = checkValue(ruleOf(name), present.value, true);
  return checked.ok ? { ok: true, value: String(checked.value) } : checked;
}
