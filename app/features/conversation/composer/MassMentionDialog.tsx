import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { countMentioned } from '../../../data/messages/countMentioned.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import type { MassMention } from '../../parts/body/mentionText.ts'

/** Up to this many people are notified without a confirmation. */
const MAX_WITHOUT_CONFIRMATION = 10

interface Props {
  channelId: string
  mention: MassMention
  onConfirm: () => void
  /** Not sent: back to the text. */
  onClose: () => void
}

/** Asks for confirmation before a message notifies many people; a few are notified at once. */
export default function MassMentionDialog({ channelId, mention, onConfirm, onClose }: Props) {
  const [count, setCount] = useState<number | null | 'counting'>('counting')
  const cancelButton = useRef<HTMLButtonElement>(null)
  const confirm = useEffectEvent(onConfirm)
  useEffect(() => {
    let isStale = false
    void countMentioned(channelId, mention).then((found) => {
      if (isStale) return
      if (found !== null && found <= MAX_WITHOUT_CONFIRMATION) confirm()
      else setCount(found)
    })
    return () => {
      isStale = true
    }
  }, [channelId, mention])
  const isCounted = count !== 'counting'
  useEffect(() => {
    // The cancel button has the focus: a double Enter must not notify everyone.
    if (isCounted) cancelButton.current?.focus({ preventScroll: true })
  }, [isCounted])
  if (!isCounted) return null
  return (
    <Dialog
      title={
        count === null
          ? i18n._('Notify everyone here?')
          : i18n._('{count, plural, one {Notify # person?} other {Notify # people?}}', { count })
      }
      onClose={onClose}
    >
      <div className={layout.body}>
        <p>
          {mention === 'channel'
            ? i18n._('@channel notifies everyone in this conversation, even if they’re away.')
            : i18n._('@here notifies everyone in this conversation who’s active right now.')}
        </p>
        <div className={layout.footer}>
          <Button ref={cancelButton} onClick={onClose}>
            {i18n._('Keep editing')}
          </Button>
          <Button variant="primary" onClick={onConfirm}>
            {i18n._('Send and notify')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
