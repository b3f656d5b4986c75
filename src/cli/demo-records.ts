import { DAY_MS } from '../lib/duration.ts';
import { hashApiKey, hintOf, makeApiKey } from '../platform/api/api-key.ts';
import { checkMembers } from '../platform/api/check-write.ts';
import { onCommandLine } from '../platform/api/create-admin.ts';
import { industry, projectType, sector } from '../platform/api/resources.ts';
import type { PlatformStore } from '../platform/model/platform-store.ts';
import type { Resource } from '../platform/model/resource.ts';

const image = (name: string) => ({ ImagePath: `images/${name}.png`, IsDeleted: false });

/** What the lists of the demo hold. None is an example of the reference, so that each of those can be sent. */
const RECORDS: readonly (readonly [Resource, Readonly<Record<string, string | boolean>>])[] = [
  [projectType, { ContractName: 'Letter of Credit', IsDeleted: false }],
  [projectType, { ContractName: 'Purchase Order Finance', IsDeleted: false }],
  [projectType, { ContractName: 'Supply Chain Finance', IsDeleted: false }],
  [projectType, { ContractName: 'Forfaiting', IsDeleted: true }],
  [industry, { IndustryName: 'Agriculture', ...image('agriculture') }],
  [industry, { IndustryName: 'Energy', ...image('energy') }],
  [industry, { IndustryName: 'Textiles', ...image('textiles') }],
  [sector, { SkillName: 'Coffee', IndustryName: 'Agriculture', ...image('coffee') }],
  [sector, { SkillName: 'Grain', IndustryName: 'Agriculture', ...image('grain') }],
  [sector, { SkillName: 'Solar', IndustryName: 'Energy', ...image('solar') }],
  [sector, { SkillName: 'Cotton', IndustryName: 'Textiles', ...image('cotton') }],
];

/** Fills the portal of the demo: some records in each list, and a key that ends in five days. `owner` is the demo's admin user. */
export async function addDemoRecords(store: PlatformStore, owner: number, now: number): Promise<void> {
  const author = { ...onCommandLine(now), statedBy: owner };
  for (const [resource, body] of RECORDS) {
    const checked = await checkMembers(store, resource, body);
    if (!checked.ok) throw new Error(checked.failure.message);
    await store.add(resource, checked.value, author);
  }
  const key = makeApiKey();
  const expiresAt = new Date(now + 5.5 * DAY_MS).toISOString();
  const reports = { name: 'reports', scopes: ['read'], owner, expiresAt } as const;
  await store.addKey({ ...reports, hash: hashApiKey(key), hint: hintOf(key) }, author);
}
