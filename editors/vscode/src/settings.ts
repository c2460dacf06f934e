/** Which of the settings are for the server? The others are ours, and it would complain about them. */

/** Those that the server knows; `docs/editors.md` says what they mean. */
export const FOR_SERVER = ["configuration", "select", "extendSelect", "ignore", "pedantic"] as const;

/** Those that decide which server runs: it is started anew when one of them changes. */
export const FOR_START = ["enable", "importStrategy", "path", "interpreter"] as const;

/** The section `mllint` of somebody's settings as the server reads it: what is not set is null, so that it is forgotten. */
export function forServer(section: unknown): Record<string, unknown> {
  const given: Record<string, unknown> = typeof section === "object" && section !== null ? { ...section } : {};
  return Object.fromEntries(FOR_SERVER.map((name) => [name, given[name] ?? null]));
}
