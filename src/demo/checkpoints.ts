/** The relayer runs at second 0, 20 and 40 of each minute (XDC-Relayer src/config.ts). */
export const RELAY_PERIOD_MS = 20_000;

/** When the relayer last ran, or the `ago`th time before that. Unix milliseconds. */
export const relayedAt = (ms: number, ago = 0): number => (Math.floor(ms / RELAY_PERIOD_MS) - ago) * RELAY_PERIOD_MS;
