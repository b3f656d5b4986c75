/** The patterns of what ends the program of a relayer, most often while it starts. */
export const RELAYER_START_ERRORS: readonly string[] = [
  'unreachable_at_start',
  'wrong_contract',
  'no_contract',
  'mode_unreadable',
  'reverse_mode_unreadable',
  'redis_unreachable',
  'heap_exhausted',
  'docker_disk_full',
  'start_denied',
];
