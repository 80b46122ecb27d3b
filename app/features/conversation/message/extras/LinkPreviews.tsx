import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import type { LinkPreview, Message } from '../../../../../wire/messages.ts'
import { removeLinkPreview, useLinkPicture } from '../../../../data/messages/linkPreviews.ts'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import styles from './LinkPreviews.module.css'
import { useManagesChannel } from './useManagesChannel.ts'

interface Props {
  previews: LinkPreview[]
  message: Message
  /** Whether the reader may change messages at all: not in an archived channel. */
  isMember: boolean
}

/** Cards of the pages that a message links. Their author, and those who manage the channel, can remove each. */
export function LinkPreviews({ previews, message, isMember }: Props) {
  const me = useMe()
  const showToast = useToast()
  const managesChannel = useManagesChannel(message)
  const mayRemove = isMember && (managesChannel || message.author_id === me.profile.id)
  const remove = async (preview: LinkPreview) => {
    const outcome = await removeLinkPreview(message, preview.id)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return previews.map((preview) => (
    <div key={preview.id} className={styles.card}>
      <a className={styles.link} href={preview.url} target="_blank" rel="noopener noreferrer">
        <span className={styles.text} dir="auto">
          <span className={styles.site}>{preview.site}</span>
          <span className={styles.title}>{preview.title}</span>
          {preview.description ? <span className={styles.description}>{preview.description}</span> : null}
        </span>
        {preview.picture ? <Picture id={preview.id} /> : null}
      </a>
      {mayRemove ? (
        <IconButton
          className={styles.remove}
          label={i18n._('Remove preview')}
          icon={<X size={16} aria-hidden />}
          onClick={() => void remove(preview)}
        />
      ) : null}
    </div>
  ))
}

/** Decoration: it has no text of its own. */
function Picture({ id }: { id: string }) {
  const url = useLinkPicture(id)
  return <span className={styles.picture}>{url ? <img src={url} alt="" draggable={false} /> : null}</span>
}
