import type { Target } from '../model/target.ts';

/** The command that shows the last output of a target's program, as far as the inventory says where it runs. */
export function commandToSeeLog({ container, component, name }: Target): string {
  if (container === undefined) return `read the log of ${component === name ? `the ${name}` : `the node ${name}`}`;
  return 'name' in container
    ? `run docker logs --tail 50 ${container.name}`
    : `run docker compose -p ${container.project} logs --tail 50 ${container.service}`;
}

/** How to raise the limit of file descriptors, as the end of a sentence about subnetd. */
export const RAISE_DESCRIPTORS = 'with LimitNOFILE in its systemd unit or with ulimit -n, and restart it';

/** A call that a person can repeat; the address has no user info. */
export const commandToCall = (address: string, method: string, params: string): string =>
  `curl -s -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}' ${address}`;
