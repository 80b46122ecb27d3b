import { i18n } from '@lingui/core'
import { useCallback } from 'react'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { pinnedMessages } from '../../../data/messages/pins.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { GrowingList } from '../../../ui/GrowingList.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAsync } from '../../../ui/useAsync.ts'
import { ReferencedMessage } from '../../message/extras/ReferencedMessage.tsx'

/** The pinned messages of a channel, last pinned first; its time leads to each. */
export function PinnedMessages({ channel }: { channel: ChannelWithPermissions }) {
  const { id } = channel
  const load = useCallback(() => pinnedMessages(id), [id])
  const pins = useAsync(load, channel.entry.counters.rev)
  if (!pins) return <Skeleton label={i18n._('Loading pinned messages')} shape="lines" rows={4} />
  if (!pins.ok)
    return (
      <p className={layout.body} role="alert">
        {pins.failure.message}
      </p>
    )
  return (
    <div className={layout.body}>
      {pins.value.length === 0 ? (
        <p className={layout.muted}>
          {i18n._('Nothing is pinned. Choose “Pin” in the menu of a message that others should find again.')}
        </p>
      ) : (
        <GrowingList
          label={i18n._('Pinned')}
          className={layout.stack}
          items={pins.value}
          selection={id}
          render={(message) => (
            <li key={message.id} data-open tabIndex={-1}>
              <ReferencedMessage id={message.id} kind="quote" />
            </li>
          )}
        />
      )}
    </div>
  )
}
