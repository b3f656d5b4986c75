import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, which start first: else the last of them would run alone at the end. */
const LONGEST = [
  'notify/daemon',
  'demo/verdicts',
  'alerts/notifications',
  'docker/follow-log',
  'demo/green',
  'alerts/rules',
  'prometheus/scrape',
  'probes/browser',
  'commands/browser',
  'notify/secret-path',
  'logs/tail/kept-positions',
  'commands/command-line',
  'commands/alert-commands',
  'commands/closed-pipe',
  'logs/tail/rewritten-files',
  'probes/recorded-pages',
  'notify/create-push',
].map((name) => `test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.indexOf(relative(import.meta.dirname, moduleId));
      return index < 0 ? LONGEST.length : index;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    // Most tests wait for real programs; more at once would leave those too little of two processors.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
