import { i18n } from '@lingui/core'
import { useEffect, useLayoutEffect, useState } from 'react'
import { openChannel, useChannel } from '../../data/channels/channels.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ChannelHead } from './ChannelHead.tsx'
import { Conversation } from './Conversation.tsx'
import { rememberChannel } from './going/lastChannel.ts'
import styles from './Pane.module.css'
import { noteWriting } from './going/writing.ts'
import { placeOf } from './placeOf.ts'
import { lazily } from '../../ui/lazily.tsx'

const NoSuchPlace = lazily(() => import('./NoSuchPlace.tsx'))

interface Props {
  channelId: string
  messageId: string | null
  threadOpen: boolean
}

/** One conversation: its head, its words, where one writes. */
export function ChannelPane({ channelId, messageId, threadOpen }: Props) {
  const channel = useChannel(channelId)
  const known = typeof channel !== 'string'
  // Whoever is put out while they read is told of what.
  const [was, setWas] = useState<string | null>(null)
  if (known && was !== placeOf(channel)) setWas(placeOf(channel))
  useEffect(() => openChannel(channelId), [channelId])
  useLayoutEffect(() => noteWriting, [])
  useEffect(() => {
    if (known) rememberChannel(channelId)
  }, [channelId, known])
  if (channel === 'missing') return <NoSuchPlace channelId={channelId} was={was} />
  return (
    <section className={styles.pane} data-pane aria-label={known ? channel.name : i18n._('Conversation')}>
      {known ? (
        <>
          <ChannelHead channel={channel} />
          <Conversation channel={channel} messageId={messageId} threadOpen={threadOpen} />
        </>
      ) : (
        <Skeleton label={i18n._('Loading the conversation')} />
      )}
    </section>
  )
}
