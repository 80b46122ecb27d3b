import type { Uuid } from './scalars.ts'

/** An emoji of a workspace. Texts and reactions contain `:name:`. Its image is `<workspace>/<id>` in the bucket `avatars`. */
export interface CustomEmoji {
  id: Uuid
  workspace_id: Uuid
  /** `CUSTOM_EMOJI_NAME`, unique among the names and aliases of the workspace. */
  name: string
  /** Other names, at most 10. An emoji that is renamed keeps its previous name as one. */
  aliases: string[]
  /** A profile. */
  author_id: Uuid
}

/** The names of custom emoji: 2 to 32 characters, and no name of a standard emoji. */
export const CUSTOM_EMOJI_NAME = /^[a-z0-9][a-z0-9_-]{1,31}$/
