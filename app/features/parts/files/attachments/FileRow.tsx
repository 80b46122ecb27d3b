import Braces from 'lucide-react/icons/file-code'
import Paper from 'lucide-react/icons/file-text'
import PictureIcon from 'lucide-react/icons/image'
import type { ReactNode } from 'react'
import { fileKindOf } from '../../../../../wire/fileKinds.ts'
import type { Attachment } from '../../../../../wire/files.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { FileIcon } from '../../icons.ts'
import styles from './Attachments.module.css'
import fileStyles from './FileAttachment.module.css'
import { DownloadButton } from './DownloadButton.tsx'
import { FileName } from '../names/FileName.tsx'
import { FileNameButton } from '../names/FileNameButton.tsx'
import { isCode } from './isCode.ts'

export interface FileProps {
  channelId: string
  file: Attachment
  /** Opens the viewer at this file. */
  onShow: () => void
}

interface FileRowProps extends FileProps {
  /** Whether the viewer can show it; otherwise it can only be downloaded. */
  canOpen: boolean
  /** Rendered before the download button. */
  children?: ReactNode
}

/** Icon, name and size of a file, with its actions. */
export function FileRow({ channelId, file, onShow, canOpen, children }: FileRowProps) {
  const { name, type } = file
  const kind = fileKindOf(type)
  const icon = kind === 'picture' ? PictureIcon : isCode(type) ? Braces : canOpen ? Paper : FileIcon
  return (
    <div className={styles.file}>
      <Icon of={icon} size={20} />
      <span className={styles.details}>
        {canOpen ? (
          <FileNameButton name={name} onShow={onShow} className={fileStyles.open} />
        ) : (
          <FileName name={name} />
        )}
        <span className={styles.size}>{formatBytes(file.size)}</span>
      </span>
      {children}
      <DownloadButton channelId={channelId} file={file} />
    </div>
  )
}
