import { i18n } from '@lingui/core'
import type { Attachment } from '../../../wire/files.ts'
import { FileName } from '../../features/parts/files/names/FileName.tsx'
import { fileIcon } from '../../features/parts/files/uploads/fileIcon.ts'
import { formatBytes } from '../../ui/formatBytes.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './ScheduledFiles.module.css'

/** The files of a scheduled message. */
export function ScheduledFiles({ files }: { files: readonly Attachment[] }) {
  if (files.length === 0) return null
  return (
    <ul className={styles.files} aria-label={i18n._('Attached files')}>
      {files.map((file) => (
        <li key={file.id} className={styles.file}>
          <span className={styles.icon}>
            <Icon of={fileIcon(file.type)} />
          </span>
          <FileName name={file.name} />
          <span className={styles.size}>{formatBytes(file.size)}</span>
        </li>
      ))}
    </ul>
  )
}
