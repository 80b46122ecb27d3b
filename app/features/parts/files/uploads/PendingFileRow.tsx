import { cx } from '../../../../ui/cx.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import attachmentStyles from '../attachments/Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { fileIcon } from './fileIcon.ts'
import styles from './Pending.module.css'
import { UploadProgress } from './UploadProgress.tsx'
import { type PendingFileProps, UploadActions } from './UploadActions.tsx'
import { UploadStatus } from './UploadStatus.tsx'
import { useUploadDisplay } from './useUploadDisplay.ts'

/** A file that is being uploaded, as a row: icon, name, progress and actions. */
export function PendingFileRow({ file, onRestore, mayRemove, isErrorShown }: PendingFileProps) {
  const upload = useUploadDisplay(file.id, isErrorShown)
  return (
    <div className={cx(attachmentStyles.file, styles.line)}>
      <Icon of={fileIcon(file.type)} size={20} />
      <span className={attachmentStyles.details}>
        <FileName name={file.name} />
        <span className={styles.state}>
          <UploadStatus upload={upload} size={file.size} />
        </span>
      </span>
      <UploadActions file={file} upload={upload} onRestore={onRestore} mayRemove={mayRemove} />
      <UploadProgress name={file.name} upload={upload} />
    </div>
  )
}
