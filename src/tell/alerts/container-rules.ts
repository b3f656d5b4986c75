import { reportProblems } from './problem-rule.ts';

/** Alerts about containers and about the files that programs write. */
export const containerRules = reportProblems(
  { dashboard: 'subnetd-node' },
  {
    SubnetContainerDown: {
      summary: 'A container of {{ $labels.subnet }} does not run.',
      description:
        'The container of {{ $labels.name }} of {{ $labels.subnet }} is stopped, paused or missing. The reason of its check container on the status page says how it ended and with what command to start it.',
    },
    SubnetContainerRestarting: {
      summary: 'A container of {{ $labels.subnet }} restarts.',
      description:
        'The container of {{ $labels.name }} of {{ $labels.subnet }} has ended without a request and was started again. Read what its log ends in before each start; a node that dies of a fatal error ends with exit code 0.',
    },
    SubnetContainersCrashed: {
      ofSubnet: true,
      dashboard: 'subnetd-fleet',
      summary: 'Containers of {{ $labels.subnet }} crashed at the same time.',
      description:
        'Several containers of {{ $labels.subnet }} ended within seconds of each other without a request. Look for what they share: the memory and the disk of their machine, Docker, or a block that they all received. The status page names them.',
    },
    SubnetContainerMemoryNearLimit: {
      summary: 'A container of {{ $labels.subnet }} is near its memory limit.',
      description:
        '{{ $labels.name }} of {{ $labels.subnet }} uses more than nine tenths of its memory limit, and is killed when it reaches it. Raise mem_limit in its compose file, or find out why it grows.',
    },
    SubnetLogFileLarge: {
      summary: 'The log files of a program of {{ $labels.subnet }} are large.',
      description:
        'The log files of {{ $labels.name }} of {{ $labels.subnet }} hold more than 10 GB, and a full disk stops the node. Truncate the file in place, and let logrotate do so with copytruncate.',
    },
    SubnetCheckDegraded: {
      ofSubnet: true,
      dashboard: 'subnetd-self',
      summary: 'subnetd sees less of {{ $labels.subnet }} than it could.',
      description:
        'Checks of {{ $labels.subnet }} pass, but are judged through a fallback. The status page names them, and what to change.',
    },
  },
);
