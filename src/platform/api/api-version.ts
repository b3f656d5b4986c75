/** The version of the API, which is that of its specification and of no release. `docs/api-changes.md` says what it promises. */
export const API_VERSION = '1.0';
