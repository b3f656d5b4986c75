import { loadOnce } from '../../../lib/promises.ts';
import { PASSWORD_MASK, toNameKey } from '../../model/resource.ts';
import { asSent, type Member } from '../call.ts';
import { type Body, checkValue, requireMember } from '../check-value.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { adminUser } from '../resources.ts';

const [rule] = adminUser.members.filter((member) => member.kind === 'password');

function ruleOf(name: string) {
  if (rule === undefined) throw new Error('admin users have no password');
  return { ...rule, name };
}

/** The rule of new passwords that no pattern can say. */
export const NOT_COMMON = 'Neither the user name nor one of the 10,000 most common passwords, in any case.';

/** The member of a body with a new password, by the rules of those of admin users; `readNewPassword` checks it. */
export const newPasswordMember = (): Member => {
  const { minLength, maxLength, example } = ruleOf('');
  const description = `The new password. ${NOT_COMMON}`;
  return {
    schema: { type: 'string', minLength, maxLength, format: 'password', description, examples: [example] },
    codes: [1003, 1005, 1006, 1012],
    read: asSent,
  };
};

/** How many of the most common passwords are refused, of those that are long enough. */
const MOST_COMMON = 10_000;

/** Loaded when a password is set: it takes 2 MB. In lower case, the most common first. */
const common = loadOnce(async () => {
  const list = await import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } });
  const isLongEnough = ({ length }: string) => length >= ruleOf('Password').minLength;
  return new Set(list.default.filter(isLongEnough).slice(0, MOST_COMMON));
});

/** Refuses a password that is guessed first: the name of its user, or a common one. Case does not count. The mask is none. */
export async function checkNewPassword(password: string, name: string, userName: string): Promise<Outcome<string>> {
  if (password === PASSWORD_MASK) return succeed(password);
  const key = toNameKey(password, true);
  const advice = 'choose another one, such as a long phrase';
  if (key === toNameKey(userName, true)) return fail(1012, `${name} is the user name; ${advice}`);
  return (await common.get()).has(key)
    ? fail(1012, `${name} is among the most common passwords, which are guessed first; ${advice}`)
    : succeed(password);
}

/** Checks the new password of a user, which `input` has as `name`. */
export async function readNewPassword(input: Body, name: string, userName: string): Promise<Outcome<string>> {
  const present = requireMember(input, name);
  if (!present.ok) return present;
  const checked = checkValue(ruleOf(name), present.value, true);
  return checked.ok ? checkNewPassword(String(checked.value), name, userName) : checked;
}
