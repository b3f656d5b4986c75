import { type Chain, COMMIT_DISTANCE } from './chain.ts';

/** The relayer runs at second 0, 20 and 40 of each minute (XDC-Relayer src/config.ts). */
export const RELAY_PERIOD_MS = 20_000;

/** When the relayer last ran, or the `ago`th time before that. Unix milliseconds. */
export const relayedAt = (ms: number, ago = 0): number => (Math.floor(ms / RELAY_PERIOD_MS) - ago) * RELAY_PERIOD_MS;

/** The newest block that the parent chain's contract knew after the run at `ms`. */
export const submittedAt = (chain: Chain, ms: number): number => Math.max(chain.heightAt(ms) - COMMIT_DISTANCE, 0);
