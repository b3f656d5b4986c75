/** The path of the page of a target. */
export const targetPath = (subnet: string, name: string): string =>
  `/targets/${encodeURIComponent(subnet)}/${encodeURIComponent(name)}`;

/** The path of the page with one subnet. */
export const subnetPath = (subnet: string): string => `/?${new URLSearchParams({ subnet })}`;
