import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { countMentioned } from '../../../data/messages/countMentioned.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
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
  if (count === 'counting') return null
  return (
    <ConfirmDialog
      title={
        count === null
          ? i18n._('Notify everyone here?')
          : i18n._('{count, plural, one {Notify # person?} other {Notify # people?}}', { count })
      }
      text={
        mention === 'channel'
          ? i18n._('@channel notifies everyone in this conversation, even if they’re away.')
          : i18n._('@here notifies everyone in this conversation who’s active right now.')
      }
      action={i18n._('Send and notify')}
      cancelLabel={i18n._('Keep editing')}
      run={() => {
        onConfirm()
        return null
      }}
      onClose={onClose}
    />
  )
}
