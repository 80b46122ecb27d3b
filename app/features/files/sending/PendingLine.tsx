import type { TakenBack } from '../../../data/messages/messages.ts'
import type { PendingFile } from '../../../data/messages/timeline.ts'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import shown from '../shown/Attachments.module.css'
import { FileName } from '../names/FileName.tsx'
import { fileSign } from './fileSign.ts'
import styles from './Pending.module.css'
import { UploadBar } from './UploadBar.tsx'
import { UploadDeeds } from './UploadDeeds.tsx'
import { UploadWords } from './UploadWords.tsx'
import { useShownUpload } from './useShownUpload.ts'

export interface PendingFileProps {
  file: PendingFile
  onWords: ((words: TakenBack) => void) | null
  /** Whether it may be taken out of its message. */
  mayDrop: boolean
  /** Whether its message says already why it failed. */
  told: boolean
}

/** A file on its way as a line: sign, name, how far it is, and what can be done about it. */
export function PendingLine({ file, onWords, mayDrop, told }: PendingFileProps) {
  const upload = useShownUpload(file.id, told)
  return (
    <div className={cx(shown.file, styles.line)}>
      <Icon of={fileSign(file.type)} size={20} />
      <span className={shown.words}>
        <FileName name={file.name} />
        <span className={styles.state}>
          <UploadWords upload={upload} size={file.size} />
        </span>
      </span>
      <UploadDeeds file={file} upload={upload} onWords={onWords} mayDrop={mayDrop} />
      <UploadBar name={file.name} upload={upload} />
    </div>
  )
}
