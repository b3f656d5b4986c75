/** For sorting: numbers by size, texts by code unit. */
export const ascending = <T extends string | number | bigint>(one: T, other: T): number =>
  one < other ? -1 : Number(one > other);
