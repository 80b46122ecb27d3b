import { i18n } from '@lingui/core'
import type { Attachment } from '../../../../../wire/files.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { FileIcon } from '../../icons.ts'
import styles from './FileViewer.module.css'

/** A file without preview: the reason, and a download button. */
export function NoPreview({
  file,
  text,
  onDownload,
}: {
  file: Attachment
  text: string
  onDownload: () => void
}) {
  return (
    <div className={styles.noPreview}>
      <Icon of={FileIcon} size={20} />
      <p>{text}</p>
      <Button onClick={onDownload}>{i18n._('Download ({size})', { size: formatBytes(file.size) })}</Button>
    </div>
  )
}
