import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { rowGoal, type Goal } from '../../../features/timeline/list/goal.ts'
import { keptPlace, type KeptPlace } from '../../../features/timeline/list/keptPlaces.ts'
import { useNotice } from '../../../ui/notice.ts'

/**
 * The message that the address names: where the list is to go for it, null while none is asked for. A reply that
 * stands in its thread alone leads there. Going back to the address without it leads to where one was before.
 */
export function useAskedMessage(
  channelId: string,
  messageId: string | null,
  jumpTo: (seq: number | 'end') => void,
): Goal | null {
  const notice = useNotice()
  const [, navigate] = useLocation()
  const [goal, setGoal] = useState<Goal | null>(null)
  const before = useRef<KeptPlace | null>(null)
  const away = useRef(false)

  useEffect(() => {
    if (messageId === null) {
      if (!away.current) return
      away.current = false
      const number = before.current?.number ?? null
      jumpTo(number ?? 'end')
      setGoal(
        number === null
          ? { to: 'end' }
          : { to: 'row', number, top: before.current?.top ?? null, mark: false },
      )
      return
    }
    if (!away.current) before.current = keptPlace(channelId)
    let left = false
    const here = `/c/${channelId}`
    const look = async () => {
      const { findMessage } = await import('../../../data/messages/findMessage.ts')
      const found = await findMessage(channelId, messageId)
      if (left) return
      if (!found.ok) notice({ words: found.failure.sentence })
      else if (found.value === null) {
        notice({ words: i18n._('This message was deleted, or you don’t have access to it.') })
        navigate(here, { replace: true })
      } else if (found.value.seq === null) {
        const { thread_root, thread_seq } = found.value
        navigate(`${here}/t/${thread_root}?at=${thread_seq}`, { replace: true })
      } else {
        away.current = true
        jumpTo(found.value.seq)
        setGoal(rowGoal(found.value.seq))
      }
    }
    void look()
    return () => {
      left = true
    }
  }, [channelId, jumpTo, messageId, navigate, notice])

  return goal
}
