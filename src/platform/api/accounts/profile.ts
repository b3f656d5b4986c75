import { PASSWORD_MASK } from '../../model/resource.ts';
import { type Actor, callerOf } from '../actor.ts';
import type { CallDeps } from '../call.ts';
import { checkText } from '../check-text.ts';
import type { Body } from '../check-value.ts';
import { checkWrite } from '../check-write.ts';
import { fail, type Outcome, succeed } from '../outcome.ts';
import { adminUser } from '../resources.ts';
import { updateRecord } from '../write-record.ts';

const MOBILE = { kind: 'text', most: 32 } as const;
/** Digits, with what people put between them. Source: E.164 has at most 15 digits, and no country fewer than 5. */
const isPhoneNumber = (text: string): boolean =>
  /^\+?[\d ()./-]+$/.test(text) && /^\d{5,15}$/.test(text.replaceAll(/\D/g, ''));

/** A mobile number; null for none. */
function checkMobile(value: unknown): Outcome<string | null> {
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return succeed(null);
  const text = checkText(value, 'MobileNo', MOBILE);
  if (!text.ok || isPhoneNumber(text.value)) return text;
  return fail(1012, 'MobileNo must be a phone number such as +41 79 123 45 67');
}

/**
 * Saves what the caller says of themselves: `FirstName`, `LastName`, `EmailID`, by the rules of admin users, and `MobileNo`,
 * which no operation of the specification sets.
 */
export async function saveProfile(actor: Actor, body: Body, deps: CallDeps): Promise<Outcome<number>> {
  const { store } = actor;
  const { owner } = callerOf(actor);
  const record = await store.find(adminUser, owner);
  const { FirstName, LastName, EmailID } = body;
  const whole = {
    UserID: owner,
    FirstName,
    LastName,
    UserName: record?.UserName,
    Password: PASSWORD_MASK,
    EmailID,
    IsActive: record?.IsActive,
    UpdateBy: owner,
  };
  const checked = await checkWrite(store, adminUser, whole, String(owner));
  if (!checked.ok) return checked;
  const mobile = checkMobile(body.MobileNo);
  if (!mobile.ok) return mobile;
  // Another admin may change the name or the activity at this moment, which a profile must not take back.
  const { UserName: _, IsActive: _isActive, ...own } = checked.value.values;
  const values = { ...own, MobileNo: mobile.value };
  return updateRecord(actor, adminUser, { ...checked.value, values }, body.Otp, deps);
}
