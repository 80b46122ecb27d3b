import { i18n } from '@lingui/core'
import type { PreparedFile } from '../../../../data/files/upload/prepareFile.ts'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import { FileName } from '../../../parts/files/names/FileName.tsx'
import styles from './LocationDialog.module.css'

interface Props {
  files: readonly PreparedFile[]
  /** Attaches the files, or none of them. */
  onDecide: (isAttached: boolean) => void
}

/** Lets the sender decide whether to attach files whose location could not be removed. */
export default function LocationDialog({ files, onDecide }: Props) {
  const count = files.length
  return (
    <ConfirmDialog
      title={i18n._('Location not removed')}
      text={i18n._(
        '{count, plural, one {Linnet couldn’t remove the location from this file. Anyone who can open it may be able to see where it was taken.} other {Linnet couldn’t remove the location from these files. Anyone who can open them may be able to see where they were taken.}}',
        { count },
      )}
      action={i18n._('Attach anyway')}
      cancelLabel={i18n._('Don’t attach')}
      run={() => {
        onDecide(true)
        return null
      }}
      onClose={() => onDecide(false)}
    >
      <ul className={styles.files} aria-label={i18n._('Files')}>
        {files.map(({ id, name }) => (
          <li key={id}>
            <FileName name={name} />
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}
