import type { WatchedMs } from './clock.ts';
import { type Target, targetKey } from './target.ts';

/** A fact about the set-up of a subnet, or why it could not be read: the end of "because …". */
export type SetupResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** What the client of a node says of itself, and how soon. */
export interface ClientSetup {
  /** `web3_clientVersion`. */
  readonly version: SetupResult<string>;
  /** How long each of some requests in a row took, in milliseconds. */
  readonly tookMs: readonly number[];
}

/** How one target is set up. A part to which the inventory gives no way is absent. */
export interface TargetSetup {
  /** Only of nodes. */
  readonly client?: SetupResult<ClientSetup>;
}

export type SetupPart = keyof TargetSetup;

/** What a probe of the set-up of a subnet saw. */
export interface SetupObservation {
  /** By `targetKey`. */
  readonly targets: ReadonlyMap<string, TargetSetup>;
}

/** Facts about how the targets of a subnet are set up. */
export interface SetupFacts {
  readonly observation: SetupObservation;
  readonly at: WatchedMs;
}

/** The set-up of a target, as far as it is known. */
export const setupOf = (setup: SetupObservation | undefined, target: Target): TargetSetup =>
  setup?.targets.get(targetKey(target)) ?? {};
