/** A user group as texts mention it. */
export interface KnownUserGroup {
  /** "&" and the id, as in `<@&id>`. */
  id: string
  name: string
  description: string
  isArchived: boolean
  /** Whether the reader is in it. */
  hasReader: boolean
}

/** The user groups of the workspace, as far as they are loaded (`userGroups.ts`). */
export const knownUserGroups: { all: readonly KnownUserGroup[]; isLoaded: boolean } = {
  all: [],
  isLoaded: false,
}
