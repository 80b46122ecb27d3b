import { i18n } from '@lingui/core'
import type { Attachment } from '../../../../wire/linnet.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { sizeOf } from '../../../ui/size.ts'
import { FileIcon } from '../../message/icons.ts'
import styles from './FileViewer.module.css'

/** A file that is not opened in a page: why, and the way to it. */
export function NotShown({ file, words, onSave }: { file: Attachment; words: string; onSave: () => void }) {
  return (
    <div className={styles.not}>
      <Icon of={FileIcon} size={20} />
      <p>{words}</p>
      <Button onClick={onSave}>{i18n._('Download ({size})', { size: sizeOf(file.size) })}</Button>
    </div>
  )
}
