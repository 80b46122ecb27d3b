import type { Uuid } from './scalars.ts'

/** A bookmark of a channel: a link with a title, or a file, whose name each reader gets with their own rights. */
export interface Bookmark {
  id: Uuid
  /** 1–80 characters; null for a file. */
  title: string | null
  /** `http:` or `https:`; null for a file. */
  url: string | null
  upload_channel_id: Uuid | null
  upload_id: Uuid | null
}

/** The bookmarks of a channel in their order, at most 20. */
export interface BookmarkList {
  channel_id: Uuid
  bookmarks: Bookmark[]
}
