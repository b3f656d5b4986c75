import { SCOPES } from '../../model/platform-store.ts';
import { callerOf } from '../actor.ts';
import { type Call, DONE, defineCall, INTEGER, type Member, objectOf } from '../call.ts';
import { checkValue } from '../check-value.ts';
import { fail, succeed } from '../outcome.ts';
import { adminUser } from '../resources.ts';

/** Whose credential the request has, and what it may do. */
const me = defineCall({
  id: 'getMe',
  method: 'GET',
  path: '/Auth/Me',
  tag: 'Auth',
  summary: 'Show whose credential you sent, what it allows, and when it ends',
  data: objectOf({
    UserID: INTEGER,
    UserName: { type: 'string', examples: ['grace'] },
    Scopes: {
      type: 'array',
      items: { type: 'string', enum: SCOPES },
      description: 'Everything that the credential allows; with several credentials, what all of them allow.',
    },
    Credential: {
      type: 'string',
      enum: ['API key', 'token'],
      description: 'With several, the first: a key before a token.',
    },
    ApiKeyID: { type: ['integer', 'null'], description: 'The key, or the key that the token was made with.' },
    ExpiryDate: { type: ['string', 'null'], format: 'date-time', description: 'null for a key without an end.' },
  }),
  run: async (_, actor) => {
    const { owner, scopes, keyId, keyEndsAt, token } = callerOf(actor);
    const user = await actor.store.find(adminUser, owner);
    const [end = null] = [token?.expiresAt, keyEndsAt].filter((one) => one !== undefined).toSorted();
    return succeed({
      UserID: owner,
      UserName: user?.UserName,
      Scopes: scopes,
      Credential: token === undefined ? 'API key' : 'token',
      ApiKeyID: keyId ?? null,
      ExpiryDate: end,
    });
  },
});

const ALL: Member<boolean> = {
  schema: { type: 'boolean', default: false, examples: [false], description: 'Whether every token of the user ends.' },
  codes: [1003],
  read: (value, name) => {
    const all = checkValue({ kind: 'boolean', name, column: '', example: false }, value);
    return all.ok ? succeed(all.value === true) : all;
  },
};

/** Ends the token that is sent, or every token of its user. */
const revoke = defineCall({
  id: 'revokeToken',
  method: 'POST',
  path: '/Auth/Revoke',
  tag: 'Auth',
  summary: 'End the token that you send, or every token of its user',
  description:
    'With all true, ends every token of the user, including those made with API keys, every portal session and every password reset link. API keys stay valid.',
  bodyIsOptional: true,
  body: { all: ALL },
  data: DONE,
  codes: [1012],
  run: async ({ all = false }, actor) => {
    const { store, caller, record } = actor;
    const { owner, token } = callerOf(actor);
    if (token === undefined)
      return fail(
        1012,
        'this request carries an API key, not a token; revoke the key with POST /api/ApiKey/Revoke/{id}',
      );
    if (all) await store.signOut(owner);
    else await store.revokeToken(token.id, token.expiresAt);
    record(all ? 'tokens revoked' : 'token revoked', { caller });
    return succeed({ result: 'success' });
  },
});

/** What a caller sees and ends of their own credential, in the order of the reference. */
export const ownCredentialCalls: readonly Call[] = [me, revoke];
