import Film from 'lucide-react/icons/film'
import Braces from 'lucide-react/icons/file-code'
import Paper from 'lucide-react/icons/file-text'
import PictureIcon from 'lucide-react/icons/image'
import Music from 'lucide-react/icons/music'
import { useEffect, useRef, useState } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../wire/linnet.ts'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { FileIcon } from '../../message/icons.ts'
import { isCode } from '../shown/isCode.ts'
import styles from './FileBrowser.module.css'

/** Bytes up to which a picture without a thumbnail is fetched whole to be drawn small. */
const WHOLE_MOST = 1_000_000

/** A picture or the first of a film drawn small, fetched as it comes near; of other files the sign of their kind. */
export function Thumb({ channelId, file }: { channelId: string; file: Attachment }) {
  const box = useRef<HTMLSpanElement>(null)
  const drawn = file.thumb || (fileKindOf(file.type) === 'picture' && file.size <= WHOLE_MOST)
  const near = useNear(box, drawn)
  const { url } = useFileUrl(channelId, near ? file.id : null, file.thumb ? 'thumb' : 'glance')
  const [broken, setBroken] = useState(false)
  return (
    <span ref={box} className={styles.thumb}>
      {url && !broken ? (
        <img src={url} alt="" decoding="async" draggable={false} onError={() => setBroken(true)} />
      ) : (
        <Icon of={signOf(file.type)} size={20} />
      )}
    </span>
  )
}

function signOf(type: string) {
  const kind = fileKindOf(type)
  if (kind === 'picture') return PictureIcon
  if (kind === 'video') return Film
  if (kind === 'audio') return Music
  if (kind === 'pdf') return Paper
  if (kind === 'text') return isCode(type) ? Braces : Paper
  return FileIcon
}

/** True from when the element first comes within a screen's reach. */
function useNear(element: React.RefObject<HTMLElement | null>, wanted: boolean): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (!wanted || near || !element.current) return
    const watch = new IntersectionObserver(
      (seen) => {
        if (seen.some((one) => one.isIntersecting)) setNear(true)
      },
      { rootMargin: '400px 0px' },
    )
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [element, wanted, near])
  return near
}
