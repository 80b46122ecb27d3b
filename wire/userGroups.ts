import type { Timestamp, Uuid } from './scalars.ts'

/** People who are mentioned as one: a text contains `<@&id>`. */
export interface UserGroup {
  id: Uuid
  workspace_id: Uuid
  /** 2–40 characters, unique among groups and active members of the workspace, ignoring case. */
  name: string
  /** At most 250 characters. */
  description: string
  /** A profile. */
  created_by: Uuid
  created_at: Timestamp
  /** Since when it can no longer be mentioned. */
  archived_at: Timestamp | null
}
