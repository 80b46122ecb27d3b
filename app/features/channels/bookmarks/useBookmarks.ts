import { useCallback, useEffect, useState } from 'react'
import type { Uuid } from '../../../../wire/scalars.ts'
import { cachedBookmarks, fetchBookmarks, type ShownBookmark } from '../../../data/channels/bookmarks.ts'

const NONE: readonly ShownBookmark[] = []

/**
 * The bookmarks of a channel, and a function that fetches them again; those that this tab has until they are fetched.
 * The channel's `meta_rev` rises when somebody changes them.
 */
export function useBookmarks(channelId: Uuid, metaRev: number): [readonly ShownBookmark[], () => void] {
  const [reloadKey, setReloadKey] = useState(0)
  const [fetched, setFetched] = useState<{ channelId: Uuid; bookmarks: readonly ShownBookmark[] } | null>(
    null,
  )
  const request = `${channelId} ${metaRev} ${reloadKey}`
  useEffect(() => {
    let isCurrent = true
    const [of] = request.split(' ')
    if (of === undefined) return
    void fetchBookmarks(of).then((bookmarks) => {
      if (isCurrent && bookmarks) setFetched({ channelId: of, bookmarks })
    })
    return () => {
      isCurrent = false
    }
  }, [request])
  const reload = useCallback(() => setReloadKey((key) => key + 1), [])
  const shown = fetched?.channelId === channelId ? fetched.bookmarks : cachedBookmarks(channelId)
  return [shown ?? NONE, reload]
}
