import { i18n } from '@lingui/core'
import MessageIcon from 'lucide-react/icons/message-square'
import X from 'lucide-react/icons/x'
import { useProfile } from '../../../../data/people/people.ts'
import { formatDay, formatDateTime, formatTime } from '../../../../ui/dates.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { formatBytes } from '../../../../ui/formatBytes.ts'
import { Download } from '../../icons.ts'
import { FileName } from '../names/FileName.tsx'
import styles from './FileViewer.module.css'
import type { ViewedFile } from './ViewedFile.ts'

interface Props {
  shown: ViewedFile
  onShowInConversation: (() => void) | null
  onDownload: () => void
  onClose: () => void
}

/** Header of the viewer: name, author, date and size, with actions. */
export function ViewerHeader({ shown: { file, sent }, onShowInConversation, onDownload, onClose }: Props) {
  return (
    <div className={styles.header}>
      <div className={styles.about}>
        <FileName name={file.name} className={styles.name} />
        <span className={styles.metadata}>
          {sent ? <Sender {...sent} /> : null}
          <span>{formatBytes(file.size)}</span>
        </span>
      </div>
      {onShowInConversation ? (
        <IconButton
          label={i18n._('Go to message')}
          icon={<Icon of={MessageIcon} size={20} />}
          onClick={onShowInConversation}
        />
      ) : null}
      <IconButton
        label={i18n._('Download {name}', { name: file.name })}
        keys="D"
        icon={<Icon of={Download} size={20} />}
        onClick={onDownload}
      />
      <IconButton label={i18n._('Close')} keys="Esc" icon={<Icon of={X} size={20} />} onClick={onClose} />
    </div>
  )
}

function Sender({ by, at }: { by: string; at: string }) {
  const name = useProfile(by)?.name ?? i18n._('Former member')
  return (
    <>
      <bdi className={styles.sender}>{name}</bdi>
      <time className={styles.time} dateTime={at} title={formatDateTime(at)}>
        {`${formatDay(at)}, ${formatTime(at)}`}
      </time>
    </>
  )
}
