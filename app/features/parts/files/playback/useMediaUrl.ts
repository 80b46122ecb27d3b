import { useEffect, useState, type RefObject } from 'react'
import type { Uuid } from '../../../../../wire/scalars.ts'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import type { FileUrl } from '../../../../data/files/download/watchBytes.ts'

/** Distance from the viewport within which the length of audio and video is fetched. */
const NEAR = '300px'

/** Resolves when the service worker serves ranges of a file. Without it a file is fetched as a whole. */
async function waitForStreaming(): Promise<void> {
  const { waitForServiceWorker } = await import('../../../../data/client/startServiceWorker.ts')
  return waitForServiceWorker()
}

/**
 * The URL of an audio or video file. With streaming it is fetched near the viewport, else on request: scrolling past
 * must not fetch half a gigabyte.
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
        waitForStreaming().then(
          () => setStreaming(true),
          () => {},
        )
      },
      { rootMargin: NEAR },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [near])
  return useFileUrl(channelId, isRequested || isStreaming ? id : null, 'file')
}
