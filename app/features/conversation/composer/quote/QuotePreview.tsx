import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { ReferencedMessage } from '../../message/extras/ReferencedMessage.tsx'
import styles from './QuotePreview.module.css'

/** The message that is going to be quoted, above the field. */
export default function QuotePreview({ id, onRemove }: { id: string; onRemove: () => void }) {
  return (
    <div className={styles.preview}>
      <div className={styles.content}>
        <ReferencedMessage id={id} kind="quote" />
      </div>
      <IconButton label={i18n._('Remove the quote')} icon={<Icon of={X} />} onClick={onRemove} />
    </div>
  )
}
