import { i18n } from '@lingui/core'
import { Suspense, useState } from 'react'
import type { Attachment } from '../../../../wire/linnet.ts'
import { downloadFile, useFileUrl } from '../../../data/files/reading/files.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { sizeOf } from '../../../ui/size.ts'
import styles from './Attachments.module.css'
import { Download, FileIcon } from '../../message/icons.ts'
import { isPicture, pictureBox } from './pictureBox.ts'
import { lazily } from '../../../ui/lazily.tsx'

const PictureViewer = lazily(() => import('../viewer/PictureViewer.tsx'))

/** The files of a message: pictures drawn in a place kept for them, others as a line to download. */
export function Attachments({ channelId, files }: { channelId: string; files: Attachment[] }) {
  const [shown, setShown] = useState<number | null>(null)
  const pictures = files.filter(isPicture)
  const others = files.filter((file) => !isPicture(file))
  return (
    <div className={styles.attachments}>
      {pictures.map((file, index) => (
        <Picture
          key={file.id}
          channelId={channelId}
          file={file}
          alone={pictures.length === 1}
          onShow={() => setShown(index)}
        />
      ))}
      {others.map((file) => (
        <FileLine key={file.id} channelId={channelId} file={file} />
      ))}
      {shown === null ? null : (
        <Suspense>
          <PictureViewer
            channelId={channelId}
            pictures={pictures}
            at={shown}
            onMove={setShown}
            onClose={() => setShown(null)}
          />
        </Suspense>
      )}
    </div>
  )
}

interface PictureProps {
  channelId: string
  file: Attachment
  alone: boolean
  onShow: () => void
}

function Picture({ channelId, file, alone, onShow }: PictureProps) {
  const { url, status } = useFileUrl(channelId, file.id, file.thumb ? 'thumb' : 'file')
  const box = pictureBox(file, alone)
  return (
    <figure className={styles.figure} style={{ width: box.width }}>
      <button
        type="button"
        className={styles.picture}
        style={{ aspectRatio: `${box.width} / ${box.height}` }}
        aria-label={i18n._('Show the picture {name}', { name: file.name })}
        onClick={onShow}
      >
        {url ? <img src={url} alt="" decoding="async" draggable={false} /> : null}
        {status === 'failed' ? (
          <span className={styles.missing}>{i18n._('This picture could not be loaded.')}</span>
        ) : null}
      </button>
      <figcaption className={styles.caption}>
        <bdi className={styles.name}>{file.name}</bdi>
        <span className={styles.size}>{sizeOf(file.size)}</span>
      </figcaption>
    </figure>
  )
}

function FileLine({ channelId, file }: { channelId: string; file: Attachment }) {
  const notice = useNotice()
  const save = async () => {
    const outcome = await downloadFile(channelId, file.id, file.name)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  return (
    <div className={styles.file}>
      <Icon of={FileIcon} size={20} />
      <span className={styles.words}>
        <bdi className={styles.fileName}>{file.name}</bdi>
        <span className={styles.size}>{sizeOf(file.size)}</span>
      </span>
      <IconButton
        label={i18n._('Download {name}', { name: file.name })}
        icon={<Icon of={Download} size={20} />}
        onClick={() => void save()}
      />
    </div>
  )
}
