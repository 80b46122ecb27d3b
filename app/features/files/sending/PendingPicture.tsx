import { cx } from '../../../ui/cx.ts'
import { sizeOf } from '../../../ui/size.ts'
import shown from '../shown/Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { pictureStyle, ratioOf } from '../shown/pictureBox.ts'
import styles from './Pending.module.css'
import type { PendingFileProps } from './PendingLine.tsx'
import { UploadBar } from './UploadBar.tsx'
import { UploadDeeds } from './UploadDeeds.tsx'
import { UploadWords } from './UploadWords.tsx'
import { useShownUpload } from './useShownUpload.ts'

/** A picture on its way, with its own bytes, where it will stand. */
export function PendingPicture({ file, alone, told, ...rest }: PendingFileProps & { alone: boolean }) {
  const upload = useShownUpload(file.id, told)
  return (
    <figure className={cx(shown.figure, styles.figure)} style={pictureStyle(file, alone)}>
      <div className={cx(shown.picture, styles.picture)} style={{ aspectRatio: ratioOf(file, alone) }}>
        <img src={file.previewUrl ?? undefined} alt={file.name} draggable={false} />
        <span className={styles.corner}>
          <UploadDeeds file={file} upload={upload} {...rest} />
        </span>
        {upload.isShown ? (
          <span className={cx(styles.chip, upload.failure && styles.reason)}>
            <UploadWords upload={upload} size={file.size} />
          </span>
        ) : null}
        <UploadBar name={file.name} upload={upload} />
      </div>
      {alone ? (
        <figcaption className={shown.caption}>
          <FileName name={file.name} />
          <span className={shown.size}>{sizeOf(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
