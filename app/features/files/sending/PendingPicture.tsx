import { cx } from '../../../ui/cx.ts'
import { sizeOf } from '../../../ui/size.ts'
import shown from '../shown/Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import type { Place } from '../shown/pictureBox.ts'
import styles from './Pending.module.css'
import type { PendingFileProps } from './PendingLine.tsx'
import { UploadBar } from './UploadBar.tsx'
import { UploadDeeds } from './UploadDeeds.tsx'
import { UploadWords } from './UploadWords.tsx'
import { useShownUpload } from './useShownUpload.ts'

/** A picture or a film on its way, with its own bytes, where it will stand. */
export function PendingPicture({ file, place, told, ...rest }: PendingFileProps & { place: Place }) {
  const upload = useShownUpload(file.id, told)
  return (
    <figure className={cx(shown.figure, styles.figure)} style={place.style}>
      <div className={cx(shown.picture, styles.picture)} style={{ aspectRatio: place.ratio }}>
        {file.previewUrl ? <img src={file.previewUrl} alt={file.name} draggable={false} /> : null}
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
      {place.named ? (
        <figcaption className={shown.caption}>
          <FileName name={file.name} />
          <span className={shown.size}>{sizeOf(file.size)}</span>
        </figcaption>
      ) : null}
    </figure>
  )
}
