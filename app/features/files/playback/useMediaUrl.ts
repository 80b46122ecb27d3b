import { useEffect, useState, type RefObject } from 'react'
import type { Uuid } from '../../../../wire/linnet.ts'
import { useFileUrl, type FileUrl } from '../../../data/files/download/files.ts'

/** How far below or above the window sound and films are asked how long they are. */
const NEAR = '300px'

/** Whether a file is read bit by bit, through the service worker. Else all of it comes first. */
async function canStream(): Promise<boolean> {
  const { startServiceWorker } = await import('../../../data/client/serviceWorker.ts')
  return startServiceWorker()
}

/**
 * The address of sound or a film, once it is near the window where it can be read bit by bit, else once it is wanted:
 * nobody fetches half a gigabyte by scrolling past.
 */
export function useMediaUrl(
  channelId: Uuid,
  id: Uuid,
  near: RefObject<Element | null>,
  isRequested: boolean,
): FileUrl {
  const [isStreaming, setStreaming] = useState(false)
  useEffect(() => {
    const element = near.current
    if (!element) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        canStream().then(setStreaming, () => {})
      },
      { rootMargin: NEAR },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [near])
  return useFileUrl(channelId, isRequested || isStreaming ? id : null, 'file')
}
