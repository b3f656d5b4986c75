/** The patterns of what ends the program of a relayer while it starts. */
export const RELAYER_START_ERRORS: readonly string[] = [
  'unreachable_at_start',
  'wrong_contract',
  'no_contract',
  'mode_unreadable',
  'reverse_mode_unreadable',
  'redis_unreachable',
];
