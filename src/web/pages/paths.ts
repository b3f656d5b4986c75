/** The path of the page of a target. */
export const targetPath = (subnet: string, name: string): string =>
  `/targets/${encodeURIComponent(subnet)}/${encodeURIComponent(name)}`;

/** The path of the page of an incident; with a suffix, of its export. */
export const incidentPath = (id: string, suffix: '' | '.json' | '.md' | '/notes' = ''): string =>
  `/incidents/${encodeURIComponent(id)}${suffix}`;

/** The path of the page with one subnet. */
export const subnetPath = (subnet: string): string => `/?${new URLSearchParams({ subnet })}`;
