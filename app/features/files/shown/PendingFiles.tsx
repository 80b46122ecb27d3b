import type { PendingFile } from '../../../data/timeline/timeline.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { sizeOf } from '../../../ui/size.ts'
import styles from './Attachments.module.css'
import { FileIcon } from '../../message/icons.ts'
import { isPicture, pictureBox } from './pictureBox.ts'

/** The files of a message on its way, in the places they will keep. */
export default function PendingFiles({ files }: { files: readonly PendingFile[] }) {
  const pictures = files.filter((file) => isPicture(file) && file.previewUrl)
  const others = files.filter((file) => !pictures.includes(file))
  return (
    <div className={styles.attachments}>
      {pictures.map((file) => (
        <PendingPicture key={file.id} file={file} alone={pictures.length === 1} />
      ))}
      {others.map((file) => (
        <div key={file.id} className={styles.file}>
          <Icon of={FileIcon} size={20} />
          <span className={styles.words}>
            <bdi className={styles.fileName}>{file.name}</bdi>
            <span className={styles.size}>{sizeOf(file.size)}</span>
          </span>
        </div>
      ))}
    </div>
  )
}

function PendingPicture({ file, alone }: { file: PendingFile; alone: boolean }) {
  const box = pictureBox(file, alone)
  return (
    <figure className={styles.figure} style={{ width: box.width }}>
      <div className={styles.picture} style={{ aspectRatio: `${box.width} / ${box.height}` }}>
        <img src={file.previewUrl ?? undefined} alt="" />
      </div>
      <figcaption className={styles.caption}>
        <bdi className={styles.name}>{file.name}</bdi>
        <span className={styles.size}>{sizeOf(file.size)}</span>
      </figcaption>
    </figure>
  )
}
