import Film from 'lucide-react/icons/film'
import Braces from 'lucide-react/icons/file-code'
import Paper from 'lucide-react/icons/file-text'
import PictureIcon from 'lucide-react/icons/image'
import Music from 'lucide-react/icons/music'
import { useEffect, useRef, useState } from 'react'
import { fileKindOf } from '../../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../../wire/files.ts'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { FileIcon } from '../../icons.ts'
import { isCode } from '../attachments/isCode.ts'
import styles from './FileBrowser.module.css'

/** Maximum bytes of an image without a thumbnail that is fetched for a preview. */
const MAX_ORIGINAL_BYTES = 1_000_000

/**
 * A small preview of an image or video, fetched when it comes near the viewport; for other files the icon of their
 * type.
 */
export function Thumbnail({ channelId, file }: { channelId: string; file: Attachment }) {
  const box = useRef<HTMLSpanElement>(null)
  const hasPreview = file.thumb || (fileKindOf(file.type) === 'picture' && file.size <= MAX_ORIGINAL_BYTES)
  const isNear = useIsNearViewport(box, hasPreview)
  const { url } = useFileUrl(channelId, isNear ? file.id : null, file.thumb ? 'thumb' : 'preview')
  const [broken, setBroken] = useState(false)
  return (
    <span ref={box} className={styles.thumbnail}>
      {url && !broken ? (
        <img src={url} alt="" decoding="async" draggable={false} onError={() => setBroken(true)} />
      ) : (
        <Icon of={iconOf(file.type)} size={20} />
      )}
    </span>
  )
}

function iconOf(type: string) {
  const kind = fileKindOf(type)
  if (kind === 'picture') return PictureIcon
  if (kind === 'video') return Film
  if (kind === 'audio') return Music
  if (kind === 'pdf') return Paper
  if (kind === 'text') return isCode(type) ? Braces : Paper
  return FileIcon
}

/** True once the element has been near the viewport. */
function useIsNearViewport(element: React.RefObject<HTMLElement | null>, isEnabled: boolean): boolean {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    if (!isEnabled || isNear || !element.current) return
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((one) => one.isIntersecting)) setIsNear(true)
      },
      { rootMargin: '400px 0px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isEnabled, isNear])
  return isNear
}
