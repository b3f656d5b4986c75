import type { Resource } from '../model/resource.ts';
import { adminUser } from './resources/admin-user.ts';
import { industry } from './resources/industry.ts';
import { projectType } from './resources/project-type.ts';
import { sector } from './resources/sector.ts';

/** Every resource of the API, in the order of the specification. */
export const resources: readonly Resource[] = [adminUser, projectType, sector, industry];
