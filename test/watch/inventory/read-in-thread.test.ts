import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readInThread } from '../../../src/watch/inventory/read-in-thread.ts';
import { readInventory } from '../../../src/watch/inventory/read-inventory.ts';
import { temporaryFolder } from '../../support/cli.ts';

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));

describe('an inventory that a thread reads', () => {
  it.each(['full.yaml', 'bad/unset-variable.yaml', 'none.yaml'])('%s is what it is without a thread', async (file) => {
    const environment = { TOKEN: 'a', NOT_SET: undefined };
    expect(await readInThread(pathOf(file), environment)).toEqual(await readInventory(pathOf(file), environment));
  });

  it('is not an inventory when the thread breaks, and says what broke it', async () => {
    const folder = temporaryFolder();
    await writeFile(folder.path('subnetd.yaml'), 'subnets: [{ name: "${A}" }]');
    await expect(readInThread(folder.path('subnetd.yaml'), null as never)).rejects.toThrow("reading 'A'");
    folder.remove();
  });
});
