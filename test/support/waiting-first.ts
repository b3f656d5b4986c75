import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';
import { mixWaiting, type Workers } from './mix-waiting.ts';

/** Starts the files that mostly wait, with the seconds that each takes, beside the others as `mixWaiting` says. */
export function createWaitingFirst(
  secondsOf: Readonly<Record<string, number>>,
  workers: Workers,
): new (
  vitest: Vitest,
) => BaseSequencer {
  const secondsOfFile = ({ moduleId }: TestSpecification) =>
    secondsOf[relative(`${import.meta.dirname}/..`, moduleId).replace(/\.test\.ts$/, '')];
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return [...mixWaiting(await super.sort(files), secondsOfFile, workers)];
    }
  };
}
