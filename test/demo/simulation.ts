import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { DemoClient } from '../../src/demo/demo-client.ts';
import type { FaultName } from '../../src/demo/faults.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { block, call, createClock } from './rpc.ts';

/** A simulation whose clock the test moves; it stops with the test. A lost round costs no time, so heights are easy to say. */
export const start = async (
  faults: readonly FaultName[],
  nodes = 4,
  roundTimeoutMs = 0,
  clients: readonly DemoClient[] = [],
) => {
  const clock = createClock();
  const simulation = await startSimulation({ nodes, faults, clients, now: clock.now, roundTimeoutMs });
  onTestFinished(() => simulation.stop());
  return {
    simulation,
    clock,
    /** The address of subnet1, subnet2, … */
    node: (number: number): string => simulation.nodes[number - 1]?.rpc ?? '',
    heights: () => Promise.all(simulation.nodes.map(async ({ rpc }) => (await block(rpc)).Number)),
    peerCounts: () =>
      Promise.all(simulation.nodes.map(async ({ rpc }) => Number((await call(rpc, 'net_peerCount')).result))),
  };
};

/** An open connection on which nothing is asked. */
export const connectTo = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket.resume();
};

/** Waits until the other side has ended a connection, within the time that a test has. */
export const isBroken = async (socket: Socket): Promise<boolean> => {
  await new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
  return socket.readableEnded || socket.destroyed;
};
