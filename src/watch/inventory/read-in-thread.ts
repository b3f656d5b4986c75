import { Worker } from 'node:worker_threads';
import { toWorkerUrl } from '../../lib/process.ts';
import type { ReadInventory } from './read-inventory.ts';
import type { Environment } from './substitute.ts';

/** What the thread is given. */
export interface InventoryFile {
  readonly path: string;
  readonly environment: Environment;
}

/**
 * Reads an inventory file as `readInventory` does, in a thread that ends with it. So probes and pages go on meanwhile, and the
 * parsers and their garbage leave no memory behind. Rejects when the thread breaks.
 */
export const readInThread = (path: string, environment: Environment): Promise<ReadInventory> =>
  new Promise((resolve, reject) => {
    const workerData: InventoryFile = { path, environment };
    const worker = new Worker(toWorkerUrl('inventory-worker', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread that reads the inventory ended with ${code}`)));
  });
