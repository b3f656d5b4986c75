import { expect, onTestFinished, test, vi } from 'vitest';
import { createReopening } from '../../../../src/watch/logs/container/reopening.ts';

test('a stream that has brought a quarter of what the engine keeps is due at once, however young it is', async () => {
  const onDue = vi.fn();
  const reopening = createReopening({ fileBytes: 20_000_000, files: 3 }, onDue);
  onTestFinished(reopening.stop);
  reopening.restart(0);
  // What was there before is not counted.
  reopening.observe(30_000_000, false);
  reopening.observe(100, true);
  reopening.observe(9_000_000, true);
  const control = vi.fn();
  setTimeout(control, 200);
  await vi.waitFor(() => expect(control).toHaveBeenCalled(), 30_000);
  expect(onDue).not.toHaveBeenCalled();
  reopening.observe(1_000_000, true);
  await vi.waitFor(() => expect(onDue).toHaveBeenCalledOnce(), 30_000);
});

test('a stream of a log that is not rotated is not due for what it has brought', async () => {
  const onDue = vi.fn();
  const reopening = createReopening(undefined, onDue);
  onTestFinished(reopening.stop);
  reopening.restart(0);
  reopening.observe(100, true);
  reopening.observe(1e12, true);
  const control = vi.fn();
  setTimeout(control, 200);
  await vi.waitFor(() => expect(control).toHaveBeenCalled(), 30_000);
  expect(onDue).not.toHaveBeenCalled();
});

test('a file of a log is filled the faster the more was printed of late', async () => {
  const reopening = createReopening({ fileBytes: 50_000, files: 1 }, () => {});
  onTestFinished(reopening.stop);
  reopening.restart(0);
  expect(reopening.minFillMs()).toBe(5_000);
  reopening.observe(1, true);
  reopening.observe(1e9, true);
  reopening.restart(0);
  const busy = reopening.minFillMs();
  expect(busy).toBeLessThan(1);
  reopening.restart(0);
  expect(reopening.minFillMs()).toBeGreaterThan(busy);
});
