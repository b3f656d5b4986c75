import { setImmediate } from 'node:timers/promises';

/** So long one thing runs before probes have their turn. */
const TURN_MS = 2;

/** Runs steps, of a millisecond or so each, to their end. Every few milliseconds the event loop has its turn. */
export async function runInTurns<T>(steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    await setImmediate();
  }
}
