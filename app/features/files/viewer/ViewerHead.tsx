import { i18n } from '@lingui/core'
import MessageIcon from 'lucide-react/icons/message-square'
import X from 'lucide-react/icons/x'
import { useProfile } from '../../../data/people/people.ts'
import { dayOf, momentOf, timeOf } from '../../../ui/clock.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { sizeOf } from '../../../ui/size.ts'
import { Download } from '../../message/icons.ts'
import { FileName } from '../names/FileName.tsx'
import styles from './FileViewer.module.css'
import type { ShownFile } from './ShownFile.ts'

interface Props {
  shown: ShownFile
  onShowInConversation: (() => void) | null
  onSave: () => void
  onClose: () => void
}

/** What is shown: name, who sent it when, size; and what can be done with it. */
export function ViewerHead({ shown: { file, sent }, onShowInConversation, onSave, onClose }: Props) {
  return (
    <div className={styles.head}>
      <div className={styles.about}>
        <FileName name={file.name} className={styles.name} />
        <span className={styles.facts}>
          {sent ? <Sender {...sent} /> : null}
          <span>{sizeOf(file.size)}</span>
        </span>
      </div>
      {onShowInConversation ? (
        <IconButton
          label={i18n._('View in conversation')}
          icon={<Icon of={MessageIcon} size={20} />}
          onClick={onShowInConversation}
        />
      ) : null}
      <IconButton
        label={i18n._('Download {name}', { name: file.name })}
        keys="D"
        icon={<Icon of={Download} size={20} />}
        onClick={onSave}
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
      <time className={styles.moment} dateTime={at} title={momentOf(at)}>
        {`${dayOf(at)}, ${timeOf(at)}`}
      </time>
    </>
  )
}
