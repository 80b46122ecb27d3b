import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Attachment } from '../../../../wire/linnet.ts'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { sizeOf } from '../../../ui/size.ts'
import styles from './Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { pictureStyle, ratioOf } from './pictureBox.ts'

interface Props {
  channelId: string
  file: Attachment
  /** The only picture of its message, with its name below; several stand side by side without. */
  alone: boolean
  onShow: () => void
}

/** A picture in a message; a press shows it large, or asks again for one that did not come. */
export function Picture(props: Props) {
  const [tries, setTries] = useState(0)
  return <Drawn key={tries} {...props} onAgain={() => setTries(tries + 1)} />
}

function Drawn({ channelId, file, alone, onShow, onAgain }: Props & { onAgain: () => void }) {
  const { url, status } = useFileUrl(channelId, file.id, file.thumb ? 'thumb' : 'glance')
  const [broken, setBroken] = useState(false)
  const failed = broken || status === 'failed'
  const { name } = file
  return (
    <figure className={styles.figure} style={pictureStyle(file, alone)}>
      <button
        type="button"
        className={styles.picture}
        style={{ aspectRatio: ratioOf(file, alone) }}
        aria-label={failed ? undefined : i18n._('Open image {name}', { name })}
        title={alone ? undefined : name}
        onClick={failed ? onAgain : onShow}
      >
        {failed ? (
          <span className={styles.missing}>
            {i18n._('{name} couldn’t be loaded. Select to try again.', { name })}
          </span>
        ) : url ? (
          <img src={url} alt={name} decoding="async" draggable={false} onError={() => setBroken(true)} />
        ) : null}
      </button>
      {alone ? (
        <figcaption className={styles.caption}>
          <FileName name={name} />
          <span className={styles.size}>{sizeOf(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
