/** A group as texts mention it. */
export interface KnownGroup {
  /** "&" and the id, as in `<@&id>`. */
  id: string
  name: string
  description: string
  isArchived: boolean
  /** Whether the reader is in it. */
  isOwn: boolean
}

/** The groups of the workspace, as far as they are loaded (`groups.ts`). */
export const knownGroups: { all: readonly KnownGroup[]; isLoaded: boolean } = { all: [], isLoaded: false }
