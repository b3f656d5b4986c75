import { expect, it } from 'vitest';
import { parseHistorySettings } from '../../../src/daemon/settings.ts';

const parse = (environment: Readonly<Record<string, string>>) => {
  const errors: string[] = [];
  return { settings: parseHistorySettings((name) => environment[name], errors), errors };
};

it('the history is kept for a month and a year, or as many days as the settings name', () => {
  expect(parse({})).toEqual({ settings: { changes: 30, days: 365, incidents: 365 }, errors: [] });
  expect(
    parse({ SUBNETD_HISTORY_CHANGES: '7d', SUBNETD_HISTORY_DAYS: '1000d', SUBNETD_HISTORY_INCIDENTS: '90d' }),
  ).toEqual({
    settings: { changes: 7, days: 1_000, incidents: 90 },
    errors: [],
  });
});

it.each(['0d', '30', '12h', '10000d', '-1d', '1.5d', 'for ever'])(
  'a history of %s is refused with a sentence',
  (text) => {
    expect(
      parse({ SUBNETD_HISTORY_CHANGES: text, SUBNETD_HISTORY_DAYS: text, SUBNETD_HISTORY_INCIDENTS: text }).errors,
    ).toEqual([
      'SUBNETD_HISTORY_CHANGES must be a number of days from 1d to 9999d, such as 30d',
      'SUBNETD_HISTORY_DAYS must be a number of days from 1d to 9999d, such as 365d',
      'SUBNETD_HISTORY_INCIDENTS must be a number of days from 1d to 9999d, such as 365d',
    ]);
  },
);
