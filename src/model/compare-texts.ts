/** For sorting, by code unit. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
