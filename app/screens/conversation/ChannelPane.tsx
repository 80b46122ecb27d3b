import { i18n } from '@lingui/core'
import { Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { openChannel, useChannel } from '../../data/channels/channels.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChannelHeader } from './ChannelHeader.tsx'
import { Conversation } from './Conversation.tsx'
import { storePreference } from '../../devicePreferences.ts'
import paneStyles from '../../shell/Pane.module.css'
import { recordComposerFocus } from '../../shell/navigation/composerFocus.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'

const BookmarksBar = lazyComponent(() => import('../../features/flows/channels/bookmarks/BookmarksBar.tsx'))
const ConversationNotFound = lazyComponent(() => import('./ConversationNotFound.tsx'))

interface Props {
  channelId: string
  messageId: string | null
  threadOpen: boolean
}

/** A conversation: header, messages and composer. */
export function ChannelPane({ channelId, messageId, threadOpen }: Props) {
  const channel = useChannel(channelId)
  const isLoaded = typeof channel !== 'string'
  const workspaceId = isLoaded ? channel.entry.channel.workspace_id : null
  // Stored so that a removed reader can be shown the title of the conversation.
  const [lastTitle, setLastTitle] = useState<string | null>(null)
  if (isLoaded && lastTitle !== titleOf(channel)) setLastTitle(titleOf(channel))
  useEffect(() => openChannel(channelId), [channelId])
  useLayoutEffect(() => recordComposerFocus, [])
  useEffect(() => {
    if (workspaceId) storePreference('lastChannel', channelId, workspaceId)
  }, [channelId, workspaceId])
  if (channel === 'missing') return <ConversationNotFound channelId={channelId} lastTitle={lastTitle} />
  return (
    <section
      className={paneStyles.pane}
      data-pane
      aria-label={isLoaded ? channel.name : i18n._('Conversation')}
    >
      {isLoaded ? (
        <>
          <ChannelHeader channel={channel} />
          <Suspense>
            <BookmarksBar channel={channel} />
          </Suspense>
          <Conversation channel={channel} messageId={messageId} threadOpen={threadOpen} />
        </>
      ) : (
        <Skeleton label={i18n._('Loading the conversation')} />
      )}
    </section>
  )
}
