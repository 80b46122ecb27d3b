import { i18n } from '@lingui/core'
import type { PreparedFile } from '../../../../data/files/upload/prepareFile.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
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
    <Dialog title={i18n._('Location not removed')} onClose={() => onDecide(false)}>
      <div className={layout.body}>
        <p>
          {i18n._(
            '{count, plural, one {Linnet couldn’t remove the location from this file. Anyone who can open it may be able to see where it was taken.} other {Linnet couldn’t remove the location from these files. Anyone who can open them may be able to see where they were taken.}}',
            { count },
          )}
        </p>
        <ul className={styles.files} aria-label={i18n._('Files')}>
          {files.map(({ id, name }) => (
            <li key={id}>
              <FileName name={name} />
            </li>
          ))}
        </ul>
        <div className={layout.footer}>
          <Button onClick={() => onDecide(false)}>{i18n._('Don’t attach')}</Button>
          <Button variant="primary" onClick={() => onDecide(true)}>
            {i18n._('Attach anyway')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
