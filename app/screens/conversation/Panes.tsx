import { Suspense, lazy, useEffect } from 'react'
import { keepPlace } from '../../data/messages/readPosition.ts'
import { saveScrollPosition } from '../../features/timeline/list/scrollPositions.ts'
import { ChannelPane } from './ChannelPane.tsx'

const ThreadPane = lazy(() => import('./ThreadPane.tsx'))

interface Props {
  channelId: string
  rootId: string | null
  messageId: string | null
  /** Room for the thread beside its conversation; else it takes its place. */
  wide: boolean
}

/** The conversation, and a thread of it. */
export default function Panes({ channelId, rootId, messageId, wide }: Props) {
  // The position is kept while a thread takes the conversation's place. Reopened later, it starts at the end.
  useEffect(
    () => () => {
      saveScrollPosition(channelId, null)
      keepPlace(channelId, null)
    },
    [channelId],
  )
  return (
    <>
      {wide || !rootId ? (
        <ChannelPane
          key={channelId}
          channelId={channelId}
          messageId={messageId}
          threadOpen={rootId !== null}
        />
      ) : null}
      <Suspense>
        {rootId ? <ThreadPane key={rootId} channelId={channelId} rootId={rootId} beside={wide} /> : null}
      </Suspense>
    </>
  )
}
