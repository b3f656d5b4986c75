import { expect, it } from 'vitest';
import type { Uptime } from '../../../src/model/history.ts';
import { dayBars, formatPercent, upPercent } from '../../../src/web/pages/uptime-bars.ts';

it('a share of whole tenths of a percent is shown as that, and not as the tenth below', () => {
  const tenths = Array.from({ length: 1_000 }, (_, ok) => ok);
  const shown = tenths.map((ok) => formatPercent(upPercent([{ ok, fail: 1_000 - ok, unseen: 0, planned: 0 }])));
  expect(shown).toEqual(tenths.map((ok) => `${Math.floor(ok / 10)}.${ok % 10} %`));
});

it('the day of a target has a mark for each probe, until an hour of it was watched', () => {
  const barsOf = (watchedMs: number, ...probes: readonly ('up' | 'down' | 'none')[]) => {
    const hour: Uptime = { ok: watchedMs, fail: 0, unseen: 0, planned: 0 };
    return String(dayBars({ hours: [...Array(23).fill(undefined), hour], days: [], probes }));
  };
  const first = barsOf(0, 'up');
  expect(first).toContain('aria-label="last probe: up 100 %"');
  expect(first).toContain('<path class="up" d="M23.5 0v20"/>');
  expect(first).toContain('<span>100 %<br>last probe</span>');
  expect(barsOf(20_000, 'up', 'none', 'down')).toContain('aria-label="last 3 probes: up 50.0 %"');
  expect(barsOf(20_000, 'none')).toContain('aria-label="last probe: no data"');
  expect(barsOf(3_600_000, 'up', 'down')).toContain('aria-label="24 hours: up 100 %"');
  expect(barsOf(60_000)).toContain('aria-label="24 hours: up 100 %"');
});
