import { i18n } from '@lingui/core'
import type { Bookmark, BookmarkList } from '../../../wire/bookmarks.ts'
import type { Attachment } from '../../../wire/files.ts'
import { LIMITS } from '../../../wire/limits.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { getClient } from '../client/getClient.ts'
import { runQuery } from '../client/runQuery.ts'
import { registerSentences, success, type Outcome } from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'

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

/**
 * The bookmarks of a channel, and the files among them that the reader may read. The `meta_rev` of the channel rises when
 * somebody changes them.
 */
export const channelBookmarks = createQuery({
  maxStored: 50,
  fetch: async (channel: Uuid) => {
    const bookmarks = await runQuery<Bookmark[]>((client) =>
      client
        .from('channel_bookmarks')
        .select('id, title, url, upload_channel_id, upload_id')
        .eq('channel_id', channel)
        .order('position')
        .limit(LIMITS.bookmarks),
    )
    if (!bookmarks.ok) return bookmarks
    const files = await fetchFiles(bookmarks.value.flatMap(({ upload_id }) => upload_id ?? []))
    return success(
      bookmarks.value.map((one): ShownBookmark =>
        Object.assign({ file: files.get(one.upload_id ?? '') ?? null }, one),
      ),
    )
  },
})

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
  return refetchAfter(await callCommand('add_bookmark', { id, channel, ...target }), channelBookmarks)
}

export async function changeBookmark(id: Uuid, title: string, url: string): Promise<Outcome<BookmarkList>> {
  return refetchAfter(await callCommand('change_bookmark', { id, title, url }), channelBookmarks)
}

/** Moves a bookmark so that `position` others precede it. */
export async function moveBookmark(id: Uuid, position: number): Promise<Outcome<BookmarkList>> {
  return refetchAfter(await callCommand('move_bookmark', { id, position }), channelBookmarks)
}

export async function deleteBookmark(id: Uuid): Promise<Outcome<BookmarkList>> {
  return refetchAfter(await callCommand('delete_bookmark', { id }), channelBookmarks)
}

/** A link as typed, with `https://` where it has no scheme. */
export function toBookmarkUrl(typed: string): string {
  const text = typed.trim()
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
}
