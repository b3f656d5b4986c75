import { judgeSavedLog } from '../../src/cli/judge-saved-log.ts';
import type { Component } from '../../src/model/target.ts';
import { writeLog } from './recordings.ts';

/** What `logs test` says of a log with these lines: how often each pattern matched, and the verdict of its check with the reason. */
export const judgeLinesOf =
  (component: Component) =>
  async (...lines: readonly string[]) => {
    const { patterns, checks } = await judgeSavedLog(component, writeLog(`${lines.join('\n')}\n`));
    const [check] = checks;
    return {
      matches: Object.fromEntries(patterns.map(({ name, matches }) => [name, matches])),
      check,
      verdict: check?.verdict,
      reason: check?.reason,
    };
  };
