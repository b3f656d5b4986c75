import { parentPort, workerData } from 'node:worker_threads';
import type { InventoryFile } from './read-in-thread.ts';
import { readInventory } from './read-inventory.ts';

/** The thread that reads an inventory once: it posts what `readInventory` resolves to, and ends. */
if (parentPort !== null) {
  const { path, environment }: InventoryFile = workerData;
  parentPort.postMessage(await readInventory(path, environment));
}
