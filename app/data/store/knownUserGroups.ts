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
