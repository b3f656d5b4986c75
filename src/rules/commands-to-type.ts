import type { Target } from '../model/target.ts';

/** The command that shows what a target's program printed last, as far as the inventory tells where it runs. */
export function commandToSeeLog({ container, component, name }: Target): string {
  if (container === undefined) return `look at the log of ${component === name ? `the ${name}` : `the node ${name}`}`;
  return 'name' in container
    ? `run docker logs --tail 50 ${container.name}`
    : `run docker compose -p ${container.project} logs --tail 50 ${container.service}`;
}

/** A call that a person can repeat by hand; the address holds no user info. */
export const commandToCall = (address: string, method: string, params: string): string =>
  `curl -s -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}' ${address}`;
