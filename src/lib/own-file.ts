/** A file that is installed with subnetd, by its path from the root. The built program lies as deep below the root as this file. */
export const ownFile = (path: string): URL => new URL(`../../${path}`, import.meta.url);
