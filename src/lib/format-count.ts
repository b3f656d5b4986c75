/** A number with its noun, or with its verb: `1 node`, `3 nodes`. */
export const formatCount = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** How often something happened: `once`, `3 times`. */
export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${count} times`);
