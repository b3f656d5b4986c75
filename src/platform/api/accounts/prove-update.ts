import type { RecordUpdate, Values } from '../../model/platform-store.ts';
import { type ApiRecord, PASSWORD_MASK, type Resource } from '../../model/resource.ts';
import { type Outcome, succeed } from '../outcome.ts';
import type { IdentifiedRequest } from '../request-context.ts';
import { owesCode, type ProofDeps, proveCaller } from './prove-caller.ts';

/** Does the update change who signs in, or how: the name, password, e-mail address or activity of a user? */
const changesSignIn = ({ members, flag }: Resource, before: ApiRecord | undefined, values: Values): boolean =>
  members.some((member) => {
    const { name, kind } = member;
    if (values[name] === undefined) return false;
    // Whether it is the same password is for callers who may set it: nobody else guesses it here.
    if (kind === 'password') return values[name] !== PASSWORD_MASK;
    const isNamed = kind === 'text' && member.key !== undefined;
    return (isNamed || name === flag.member) && values[name] !== before?.[name];
  });

/**
 * Asks for a one-time code of the caller before an update that changes how a user signs in. Resolves to the condition of the
 * update in its transaction: without a code, that it still changes no such thing.
 */
export async function proveUpdate(
  request: IdentifiedRequest,
  { resource, id, values, isKnown }: Pick<RecordUpdate, 'resource' | 'id' | 'values' | 'isKnown'>,
  deps: ProofDeps,
): Promise<Outcome<RecordUpdate['isKnown']>> {
  const isOfUser = resource.members.some(({ kind }) => kind === 'password');
  if (!isOfUser || !(await owesCode(request, deps))) return succeed(isKnown);
  if (changesSignIn(resource, await request.store.find(resource, id), values)) {
    const proved = await proveCaller(request, deps);
    return proved.ok ? succeed(isKnown) : proved;
  }
  return succeed((record) => !changesSignIn(resource, record, values) && (isKnown?.(record) ?? true));
}
