import { i18n } from '@lingui/core'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import X from 'lucide-react/icons/x'
import { useEffect } from 'react'
import type { Attachment } from '../../../../wire/linnet.ts'
import { downloadFile, useFileUrl } from '../../../data/files/reading/files.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Download } from '../../message/icons.ts'
import styles from './PictureViewer.module.css'

interface Props {
  channelId: string
  pictures: Attachment[]
  at: number
  onMove: (at: number) => void
  onClose: () => void
}

/** One picture as large as the window allows; arrow keys go to the others of its message. */
export default function PictureViewer({ channelId, pictures, at, onMove, onClose }: Props) {
  const picture = pictures[at]
  const full = useFileUrl(channelId, picture?.id ?? null, 'file')
  const count = pictures.length
  useEffect(() => {
    if (count < 2) return
    const walk = (event: KeyboardEvent) => {
      if (event.key === 'ArrowRight') onMove((at + 1) % count)
      if (event.key === 'ArrowLeft') onMove((at + count - 1) % count)
    }
    addEventListener('keydown', walk)
    return () => removeEventListener('keydown', walk)
  }, [at, count, onMove])
  if (!picture) return null
  return (
    <Dialog title={picture.name} bare className={styles.viewer} onClose={onClose}>
      <div className={styles.bar}>
        <bdi className={styles.name}>{picture.name}</bdi>
        {count > 1 ? (
          <span className={styles.count}>{i18n._('{at} of {count}', { at: at + 1, count })}</span>
        ) : null}
        <IconButton
          label={i18n._('Download {name}', { name: picture.name })}
          icon={<Icon of={Download} size={20} />}
          onClick={() => void downloadFile(channelId, picture.id, picture.name)}
        />
        <IconButton label={i18n._('Close')} icon={<Icon of={X} size={20} />} onClick={onClose} />
      </div>
      <div className={styles.stage}>
        {count > 1 ? (
          <IconButton
            label={i18n._('Previous picture')}
            icon={<Icon of={ChevronLeft} size={20} />}
            onClick={() => onMove((at + count - 1) % count)}
          />
        ) : null}
        <div className={styles.frame}>
          {full.url ? <img src={full.url} alt={picture.name} className={styles.image} /> : null}
          {full.status === 'failed' ? <p>{i18n._('This picture could not be loaded.')}</p> : null}
        </div>
        {count > 1 ? (
          <IconButton
            label={i18n._('Next picture')}
            icon={<Icon of={ChevronRight} size={20} />}
            onClick={() => onMove((at + 1) % count)}
          />
        ) : null}
      </div>
    </Dialog>
  )
}
