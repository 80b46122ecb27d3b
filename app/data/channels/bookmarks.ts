import { i18n } from '@lingui/core'
import type { Bookmark, BookmarkList } from '../../../wire/bookmarks.ts'
import type { Attachment } from '../../../wire/files.ts'
import { LIMITS } from '../../../wire/limits.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { getClient } from '../client/getClient.ts'
import { registerSentences, type Outcome } from '../failures/failures.ts'
import { setBounded } from '../hooks/setBounded.ts'

registerSentences({
  bad_bookmark: () =>
    i18n._('Enter a name of up to 80 characters and a link that starts with https:// or http://.'),
  too_many_bookmarks: () => i18n._('A channel can have up to 20 bookmarks. Remove one to add another.'),
})

/** A file of a bookmark; null where the reader may not read it, or it was deleted. */
export type BookmarkedFile = Attachment | null

export interface ShownBookmark extends Bookmark {
  file: BookmarkedFile
}

/** Channels whose bookmarks are remembered. */
const MAX_CACHED = 100
const cache = new Map<Uuid, readonly ShownBookmark[]>()

/** The bookmarks as last fetched; null if they were not. */
export function cachedBookmarks(channel: Uuid): readonly ShownBookmark[] | null {
  return cache.get(channel) ?? null
}

/** Fetches the bookmarks of a channel, and the files among them that the reader may read. Null without a network. */
export async function fetchBookmarks(channel: Uuid): Promise<readonly ShownBookmark[] | null> {
  try {
    const { rest } = await getClient()
    const { data, error } = await rest
      .from('channel_bookmarks')
      .select('id, title, url, upload_channel_id, upload_id')
      .eq('channel_id', channel)
      .order('position')
      .limit(LIMITS.bookmarks)
    if (error) return null
    const bookmarks = data as Bookmark[]
    const files = await fetchFiles(bookmarks.flatMap(({ upload_id }) => upload_id ?? []))
    const shown = bookmarks.map((one) => Object.assign({ file: files.get(one.upload_id ?? '') ?? null }, one))
    setBounded(cache, channel, shown, MAX_CACHED)
    return shown
  } catch {
    return null
  }
}

/** By id; without those that the reader may not read. */
async function fetchFiles(ids: readonly Uuid[]): Promise<Map<Uuid, Attachment>> {
  if (ids.length === 0) return new Map()
  const { rest } = await getClient()
  const { data } = await rest
    .from('attachments')
    .select('id:upload_id, name, type, size, width, height, thumb')
    .in('upload_id', [...ids])
    // A file may be carried by several messages.
    .limit(LIMITS.bookmarks * 5)
  return new Map(((data ?? []) as Attachment[]).map((file) => [file.id, file]))
}

/** Adds a link, or a file. Everybody who has the channel open fetches the bookmarks again. `id` identifies the bookmark, so that a repeated attempt adds one. */
export async function addBookmark(
  channel: Uuid,
  id: Uuid,
  target: { title: string; url: string } | { upload: Uuid },
): Promise<Outcome<BookmarkList>> {
  return callCommand('add_bookmark', { id, channel, ...target })
}

export async function changeBookmark(id: Uuid, title: string, url: string): Promise<Outcome<BookmarkList>> {
  return callCommand('change_bookmark', { id, title, url })
}

/** Moves a bookmark so that `position` others precede it. */
export async function moveBookmark(id: Uuid, position: number): Promise<Outcome<BookmarkList>> {
  return callCommand('move_bookmark', { id, position })
}

export async function deleteBookmark(id: Uuid): Promise<Outcome<BookmarkList>> {
  return callCommand('delete_bookmark', { id })
}

/** A link as typed, with `https://` where it has no scheme. */
export function toBookmarkUrl(typed: string): string {
  const text = typed.trim()
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
}
