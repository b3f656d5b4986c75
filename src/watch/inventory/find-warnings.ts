import { isSocketPathTooLong, MAX_SOCKET_PATH_BYTES } from '../../lib/addresses.ts';
import type { WallMs } from '../../lib/clock.ts';
import { formatMinute } from '../../lib/duration.ts';
import type { Inventory } from '../../model/target.ts';

const warn = (what: string, path: string): string =>
  `${what}: the path of the socket has ${Buffer.byteLength(path)} bytes and at most ${MAX_SOCKET_PATH_BYTES} can be used, so the node may fail with ipc_path_too_long and subnetd cannot open it; move the folder of the deployment to a shorter path`;

const findLongSockets = ({ subnets }: Inventory): readonly string[] =>
  subnets.flatMap(({ name: subnet, targets }) =>
    targets.flatMap((target) =>
      target.component === 'node' && target.ipc !== undefined && isSocketPathTooLong(target.ipc)
        ? [warn(`ipc of ${target.name} in ${subnet}`, target.ipc)]
        : [],
    ),
  );

const findPastWindows = ({ maintenance = [] }: Inventory, now: WallMs): readonly string[] =>
  maintenance.flatMap((window, index) =>
    window.kind === 'once' && window.until <= now
      ? [`maintenance[${index}]: it ended at ${formatMinute(window.until)} and no longer covers anything; remove it`]
      : [],
  );

/** What an inventory may contain but will not work, one sentence each. */
export const findWarnings = (inventory: Inventory, now: WallMs): readonly string[] => [
  ...findLongSockets(inventory),
  ...findPastWindows(inventory, now),
];
