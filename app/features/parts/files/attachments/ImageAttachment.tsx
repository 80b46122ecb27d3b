import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import styles from './Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { imageStyle, aspectRatio } from './mediaLayout.ts'

interface Props {
  channelId: string
  file: Attachment
  /** The only image of its message, with its name below; several are shown side by side without names. */
  isOnly: boolean
  onShow: () => void
}

/** An image in a message. A click opens the viewer, or retries after an error. */
export function ImageAttachment(props: Props) {
  const [tries, setTries] = useState(0)
  return <Attempt key={tries} {...props} onRetry={() => setTries(tries + 1)} />
}

function Attempt({ channelId, file, isOnly, onShow, onRetry }: Props & { onRetry: () => void }) {
  const { url, status } = useFileUrl(channelId, file.id, file.thumb ? 'thumb' : 'preview')
  const [broken, setBroken] = useState(false)
  const failed = broken || status === 'failed'
  const { name } = file
  return (
    <figure className={styles.figure} style={imageStyle(file, isOnly)}>
      <button
        type="button"
        className={styles.image}
        style={{ aspectRatio: aspectRatio(file, isOnly) }}
        aria-label={failed ? undefined : i18n._('Open image {name}', { name })}
        title={isOnly ? undefined : name}
        onClick={failed ? onRetry : onShow}
      >
        {failed ? (
          <span className={styles.missing}>
            {i18n._('{name} couldn’t be loaded. Select to try again.', { name })}
          </span>
        ) : url ? (
          <img src={url} alt={name} decoding="async" draggable={false} onError={() => setBroken(true)} />
        ) : null}
      </button>
      {isOnly ? (
        <figcaption className={styles.caption}>
          <FileName name={name} />
          <span className={styles.size}>{formatBytes(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
