import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { useDraft } from '../../../data/messages/drafts.ts'
import { Button } from '../../../ui/Button.tsx'
import { COMPOSER_FIELD } from '../../../ui/field.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { Composer } from '../composer/Composer.tsx'
import { ConversationStatus } from '../composer/ConversationStatus.tsx'
import styles from './ThreadCard.module.css'
import { titleOf } from '../../parts/channels/titleOf.ts'

interface Props {
  channel: ChannelWithPermissions
  rootId: string
  open: boolean
  onOpen: () => void
  onClose: () => void
  /** A reply was sent: the thread counts as read. */
  onSent: () => void
}

/** A button, and once pressed the composer of the thread with its draft. Escape closes it. */
export function InlineReply({ channel, rootId, open, onOpen, onClose, onSent }: Props) {
  const container = useRef<HTMLDivElement>(null)
  const draft = useDraft(channel.id, rootId)
  useEffect(() => {
    const form = container.current
    if (!open || !form) return
    form.querySelector<HTMLElement>(COMPOSER_FIELD)?.focus()
    // It grows with its text and tools, and would extend over the lower edge of the list.
    const resized = new ResizeObserver(() => {
      if (form.contains(document.activeElement)) form.scrollIntoView({ block: 'nearest' })
    })
    resized.observe(form)
    return () => resized.disconnect()
  }, [open])
  if (!open)
    return (
      <Button variant="quiet" className={styles.reply} onClick={onOpen}>
        {draft.text ? i18n._('Continue your draft') : i18n._('Reply')}
      </Button>
    )
  const alsoTo = titleOf(channel)
  return (
    <div
      ref={container}
      className={styles.writing}
      data-pane
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event.nativeEvent)) return
        event.preventDefault()
        onClose()
      }}
    >
      <ConversationStatus
        channelId={channel.id}
        threadRoot={rootId}
        isOnWeb={Boolean(channel.entry.channel.web_since)}
      />
      <Composer
        channelId={channel.id}
        threadRoot={rootId}
        label={i18n._('Reply')}
        alsoTo={channel.canPost ? alsoTo : null}
        onEditLast={() => {}}
        onSent={onSent}
      />
    </div>
  )
}
