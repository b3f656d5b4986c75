/**
 * Libraries of which the program needs a small part. That is built into it, so a package goes without the rest: types, a second build of
 * each, and a hundred chains, 90 MB of 180.
 */
const BUILT_IN = /^(?:@oxc-project|viem|ox|abitype|isows|ws|eventemitter3|@noble|@scure)(?:\/|$)/;

/** Whether the build takes in what is imported by this name. */
export const isBuiltIn = (name: string): boolean => BUILT_IN.test(name);
