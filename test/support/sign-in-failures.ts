import type { SignInStore } from '../../src/platform/model/sign-in-store.ts';

/** Counts a failure under a name from each of the addresses. Times are ISO 8601; failures before `since` are forgotten. */
export const addFailure = (
  store: SignInStore,
  name: string,
  addresses: readonly string[],
  at: string,
  since = '',
): Promise<unknown> => store.countAttempt({ name, addresses, at, since }, () => true);

/** The failures under a name from each of the addresses. */
export const findFailures = (store: SignInStore, name: string, addresses: readonly string[]) =>
  store.countAttempt({ name, addresses, at: '', since: '' }, () => false);
