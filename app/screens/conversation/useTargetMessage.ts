import { useEffect, useRef, useState } from 'react'
import { conversationIn, pathTo } from '../../paths.ts'
import { navigate } from '../../historyState.ts'
import { attempt } from '../../data/failures/failures.ts'
import { savedScrollPosition, type ScrollPosition } from '../../data/messages/readPosition.ts'
import { rowTarget, type ScrollTarget } from '../../features/conversation/timeline/list/scrollMachine.ts'
import { useToast } from '../../ui/toast.ts'

const loadFindMessage = () => import('../../data/messages/findMessage.ts')

/**
 * The scroll target for the message in the URL; null without one. A reply that is only in its thread redirects there.
 * Going back to the URL without a message restores the previous position.
 */
export function useTargetMessage(
  channelId: string,
  messageId: string | null,
  jumpTo: (seq: number | 'end') => void,
): ScrollTarget | null {
  const showToast = useToast()
  const [target, setTarget] = useState<ScrollTarget | null>(null)
  const previousPosition = useRef<ScrollPosition | null>(null)
  const isAtTarget = useRef(false)

  useEffect(() => {
    if (messageId === null) {
      if (!isAtTarget.current) return
      isAtTarget.current = false
      const number = previousPosition.current?.number ?? null
      jumpTo(number ?? 'end')
      setTarget(
        number === null
          ? { to: 'end' }
          : { to: 'row', number, top: previousPosition.current?.top ?? null, mark: false },
      )
      return
    }
    if (!isAtTarget.current) previousPosition.current = savedScrollPosition(channelId)
    let isStale = false
    const findTarget = async () => {
      const found = await attempt(async () => {
        const { findMessage } = await loadFindMessage()
        return findMessage(channelId, messageId)
      })
      if (isStale) return
      if (!found.ok) {
        showToast({ text: found.failure.message })
        if (!found.failure.isRetryable) navigate(pathTo('channel', { channelId }), { replace: true })
      } else if ('path' in found.value) {
        navigate(found.value.path, { replace: true })
      } else {
        isAtTarget.current = true
        jumpTo(found.value.seq)
        setTarget(rowTarget(found.value.seq))
      }
    }
    // A link to the message that the address names already shows it again.
    const onPush = () => {
      if (conversationIn(location.pathname).messageId === messageId) void findTarget()
    }
    addEventListener('pushState', onPush)
    void findTarget()
    return () => {
      isStale = true
      removeEventListener('pushState', onPush)
    }
  }, [channelId, jumpTo, messageId, showToast])

  return target
}
