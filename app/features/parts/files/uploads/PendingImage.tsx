import { cx } from '../../../../ui/cx.ts'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import attachmentStyles from '../attachments/Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { ownSize, type MediaLayout } from '../attachments/mediaLayout.ts'
import styles from './Pending.module.css'
import type { PendingFileProps } from './UploadActions.tsx'
import { UploadProgress } from './UploadProgress.tsx'
import { UploadActions } from './UploadActions.tsx'
import { UploadStatus } from './UploadStatus.tsx'
import { useUploadDisplay } from './useUploadDisplay.ts'

/** An image or video that is being uploaded, shown from local data in its final layout. */
export function PendingImage({
  file,
  layout,
  isErrorShown,
  ...rest
}: PendingFileProps & { layout: MediaLayout }) {
  const upload = useUploadDisplay(file.id, isErrorShown)
  // A video is enlarged, because its controls need space.
  const isVideo = file.type.startsWith('video/')
  return (
    <figure
      className={cx(attachmentStyles.figure, styles.figure, !layout.named && attachmentStyles.tile)}
      style={layout.style}
    >
      <div className={cx(attachmentStyles.image, styles.picture)} style={{ aspectRatio: layout.ratio }}>
        {file.previewUrl ? (
          <img
            src={file.previewUrl}
            alt={file.name}
            style={isVideo ? undefined : ownSize(file)}
            draggable={false}
          />
        ) : null}
        <span className={styles.corner}>
          <UploadActions file={file} upload={upload} {...rest} />
        </span>
        {upload.isShown ? (
          <span className={cx(styles.chip, upload.failure && styles.reason)}>
            <UploadStatus upload={upload} size={file.size} />
          </span>
        ) : null}
        <UploadProgress name={file.name} upload={upload} />
      </div>
      {layout.named ? (
        <figcaption className={attachmentStyles.caption}>
          <FileName name={file.name} />
          <span className={attachmentStyles.size}>{formatBytes(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
