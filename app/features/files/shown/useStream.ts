import { useEffect, useState, type RefObject } from 'react'
import type { Uuid } from '../../../../wire/linnet.ts'
import { useFileUrl, type FileUrl } from '../../../data/files/reading/files.ts'

/** How far below or above the window sound and films are asked how long they are. */
const NEAR = '300px'

/** Whether a file's address is read bit by bit: through the service worker. Else all of it comes first. */
const isStreamed = (): boolean => Boolean(navigator.serviceWorker?.controller)

/**
 * The address of sound or a film, once it is near the window where it can be read bit by bit, else once it is wanted:
 * nobody fetches half a gigabyte by scrolling past.
 */
export function useStream(
  channelId: Uuid,
  id: Uuid,
  near: RefObject<Element | null>,
  wanted: boolean,
): FileUrl {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    const element = near.current
    if (!element || !isStreamed()) return
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true)
      },
      { rootMargin: NEAR },
    )
    watch.observe(element)
    return () => watch.disconnect()
  }, [near])
  return useFileUrl(channelId, wanted || isNear ? id : null, 'file')
}
