import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Attachment } from '../../../../../wire/files.ts'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { cx } from '../../../../ui/cx.ts'
import styles from './Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { ownSize, type MediaLayout } from './mediaLayout.ts'

interface Props {
  channelId: string
  file: Attachment
  layout: MediaLayout
  /** Images that the tile stands for. The last tile stands for all images that have no tile of their own. */
  covered: number
  onShow: () => void
}

/** An image in a message. A click opens the viewer, or retries after an error. */
export function ImageAttachment(props: Props) {
  const [tries, setTries] = useState(0)
  return <Attempt key={tries} {...props} onRetry={() => setTries(tries + 1)} />
}

function Attempt({ channelId, file, layout, covered, onShow, onRetry }: Props & { onRetry: () => void }) {
  const { url, status } = useFileUrl(channelId, file.id, file.thumb ? 'thumb' : 'preview')
  const [broken, setBroken] = useState(false)
  const failed = broken || status === 'failed'
  const { name } = file
  const label =
    covered > 1
      ? i18n._('{count, plural, one {Open # more image} other {Open # more images}}', { count: covered })
      : i18n._('Open image {name}', { name })
  return (
    <figure className={cx(styles.figure, !layout.named && styles.tile)} style={layout.style}>
      <button
        type="button"
        className={styles.image}
        style={{ aspectRatio: layout.ratio }}
        aria-label={failed ? undefined : label}
        title={layout.named ? undefined : name}
        onClick={failed ? onRetry : onShow}
      >
        {failed ? (
          <span className={styles.missing}>
            {i18n._('{name} couldn’t be loaded. Select to try again.', { name })}
          </span>
        ) : url ? (
          <img
            src={url}
            alt={name}
            style={ownSize(file)}
            decoding="async"
            draggable={false}
            onError={() => setBroken(true)}
          />
        ) : null}
        {covered > 1 ? (
          <span className={styles.covered} aria-hidden="true">
            +{covered}
          </span>
        ) : null}
      </button>
      {layout.named ? (
        <figcaption className={styles.caption}>
          <FileName name={name} />
          <span className={styles.size}>{formatBytes(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
