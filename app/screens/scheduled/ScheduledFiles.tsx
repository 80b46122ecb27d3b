import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import type { Attachment } from '../../../wire/files.ts'
import { FileName } from '../../features/files/names/FileName.tsx'
import { fileIcon } from '../../features/files/uploads/fileIcon.ts'
import { formatBytes } from '../../ui/formatBytes.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './ScheduledFiles.module.css'

interface Props {
  files: readonly Attachment[]
  /** Removes a file from the message; without it they are only listed. */
  onRemove?: (id: string) => void
}

/** The files of a scheduled message. */
export function ScheduledFiles({ files, onRemove }: Props) {
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
          {onRemove ? (
            <IconButton
              label={i18n._('Remove {name}', { name: file.name })}
              icon={<Icon of={X} />}
              onClick={() => onRemove(file.id)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  )
}
