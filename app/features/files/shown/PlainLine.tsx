import { i18n } from '@lingui/core'
import Braces from 'lucide-react/icons/file-code'
import Paper from 'lucide-react/icons/file-text'
import PictureIcon from 'lucide-react/icons/image'
import type { ReactNode } from 'react'
import { fileKindOf } from '../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../wire/linnet.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { sizeOf } from '../../../ui/size.ts'
import { Download, FileIcon } from '../../message/icons.ts'
import styles from './Attachments.module.css'
import line from './FileLine.module.css'
import { FileName } from '../names/FileName.tsx'
import { isCode } from './isCode.ts'
import { useSave } from './useSave.ts'

export interface FileProps {
  channelId: string
  file: Attachment
  /** Opens the viewer at this file. */
  onShow: () => void
}

interface PlainProps extends FileProps {
  /** Whether the viewer shows it; else the line is there to download it. */
  opens: boolean
  /** Stands before the button that downloads. */
  children?: ReactNode
}

/** Sign, name and size of a file, and what can be done with it. */
export function PlainLine({ channelId, file, onShow, opens, children }: PlainProps) {
  const { name, type } = file
  const save = useSave(channelId, file)
  const kind = fileKindOf(type)
  const sign = kind === 'picture' ? PictureIcon : isCode(type) ? Braces : opens ? Paper : FileIcon
  return (
    <div className={styles.file}>
      <Icon of={sign} size={20} />
      <span className={styles.words}>
        {opens ? (
          <button
            type="button"
            className={line.open}
            aria-label={i18n._('Show {name}', { name })}
            onClick={onShow}
          >
            <FileName name={name} />
          </button>
        ) : (
          <FileName name={name} />
        )}
        <span className={styles.size}>{sizeOf(file.size)}</span>
      </span>
      {children}
      <IconButton
        label={i18n._('Download {name}', { name })}
        icon={<Icon of={Download} size={20} />}
        className={line.deed}
        onClick={save}
      />
    </div>
  )
}
