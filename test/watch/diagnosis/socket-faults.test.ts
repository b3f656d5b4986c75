import { expect, test } from 'vitest';
import type { SocketFault } from '../../../src/model/observation.ts';
import { diagnosed, diagnosedNode } from '../../support/diagnosed.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** What to do about the first of four nodes, whose socket has this fault while its container runs. */
function fixOf(fault: Omit<SocketFault, 'kind' | 'path'>): string | undefined {
  const socket: SocketFault = { kind: 'socket', path: '/srv/XDC.ipc', ...fault };
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n1' ? { fault: socket } : {}));
  return diagnosed(nodes).find(({ problem, name }) => problem === 'node_down' && name === 'n1')?.fix;
}

test.each<readonly [Omit<SocketFault, 'kind' | 'path'>, RegExp]>([
  [{ state: 'missing' }, /^correct ipc in the inventory, or start the node: /],
  [{ state: 'stale' }, /^correct ipc in the inventory if the node runs, else start it: /],
  [{ state: 'no-socket' }, /^correct ipc in the inventory, it usually ends in XDC\.ipc$/],
])('a node that answers only by a socket, which is %j, is not said to end or to have its port closed', (fault, fix) => {
  expect(fixOf(fault)).toMatch(fix);
});

test('a socket that subnetd may not open says nothing of its node', () => {
  expect(fixOf({ state: 'denied', owner: 'root', mode: '600' })).toBeUndefined();
});
