import { Suspense } from 'react'
import { useConnection } from '../../../data/session/useWorkspace.ts'
import { useTyping } from '../../../data/people/people.ts'
import { cx } from '../../../ui/cx.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { useIsDisconnected } from '../../parts/useIsDisconnected.ts'
import styles from './ConversationStatus.module.css'

const WebNotice = lazyComponent(() => import('../../parts/channels/WebNotice.tsx'))
const ConversationStatusText = lazyComponent(() => import('./ConversationStatusText.tsx'), { preload: true })

/**
 * The line between the messages and the composer: who is typing, or the state of the connection. Its space is
 * reserved, so that nothing moves when text appears.
 */
export function ConversationStatus({
  channelId,
  threadRoot = null,
  isOnWeb,
}: {
  channelId: string
  threadRoot?: string | null
  /** Whether anyone can read the channel on the web. */
  isOnWeb: boolean
}) {
  const people = useTyping(channelId, threadRoot)
  const connection = useConnection()
  const isDisconnected = useIsDisconnected()
  const status = (
    <div
      className={cx(styles.line, isDisconnected && styles.disconnected)}
      role={isDisconnected ? 'status' : undefined}
    >
      <Suspense>
        {isDisconnected || people.length > 0 ? (
          <ConversationStatusText connection={isDisconnected ? connection : null} people={people} />
        ) : null}
      </Suspense>
    </div>
  )
  if (!isOnWeb) return status
  return (
    <>
      {status}
      <Suspense>
        <WebNotice channelId={channelId} />
      </Suspense>
    </>
  )
}
