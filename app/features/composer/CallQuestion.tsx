import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { countCalled } from '../../data/messages/countMentioned.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import sheet from '../../ui/Sheet.module.css'
import type { Call } from './mentionText.ts'

/** So many may be called without a question. */
const FEW = 10

interface Props {
  channelId: string
  call: Call
  onYes: () => void
  /** Not sent: back to the words. */
  onClose: () => void
}

/** Asks before a message calls many people; few are called at once. */
export default function CallQuestion({ channelId, call, onYes, onClose }: Props) {
  const [count, setCount] = useState<number | null | 'counting'>('counting')
  const back = useRef<HTMLButtonElement>(null)
  const answer = useEffectEvent(onYes)
  useEffect(() => {
    let left = false
    void countCalled(channelId, call).then((found) => {
      if (left) return
      if (found !== null && found <= FEW) answer()
      else setCount(found)
    })
    return () => {
      left = true
    }
  }, [channelId, call])
  const asked = count !== 'counting'
  useEffect(() => {
    // Enter struck twice must not call everyone.
    if (asked) back.current?.focus({ preventScroll: true })
  }, [asked])
  if (!asked) return null
  return (
    <Dialog
      title={
        count === null
          ? i18n._('Notify everyone here?')
          : i18n._('{count, plural, one {Notify # person?} other {Notify # people?}}', { count })
      }
      onClose={onClose}
    >
      <div className={sheet.body}>
        <p>
          {call === 'channel'
            ? i18n._('@channel notifies everyone in this conversation, even if they’re away.')
            : i18n._('@here notifies everyone in this conversation who’s active right now.')}
        </p>
        <div className={sheet.foot}>
          <Button ref={back} onClick={onClose}>
            {i18n._('Keep editing')}
          </Button>
          <Button look="primary" onClick={onYes}>
            {i18n._('Send and notify')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
