/**
 * The version of the API, which is that of the specification and no release's. The second number rises with what is added, the
 * first with what is no longer as it was; `docs/platform-api.md` has the rules and what each version brought.
 */
export const API_VERSION = '1.0';
