import { expect, it } from 'vitest';
import { formatPercent, upPercent } from '../../../src/web/pages/uptime-bars.ts';

it('a share of whole tenths of a percent is shown as that, and not as the tenth below', () => {
  const tenths = Array.from({ length: 1_000 }, (_, ok) => ok);
  const shown = tenths.map((ok) => formatPercent(upPercent([{ ok, fail: 1_000 - ok, unseen: 0, planned: 0 }])));
  expect(shown).toEqual(tenths.map((ok) => `${Math.floor(ok / 10)}.${ok % 10} %`));
});
