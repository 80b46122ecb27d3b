import { i18n } from '@lingui/core'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { pinnedMessageList } from '../../../../data/messages/pins.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { GrowingList } from '../../../../ui/GrowingList.tsx'
import { QueryContent } from '../../../parts/lists/QueryContent.tsx'
import { ReferencedMessage } from '../../../conversation/message/extras/ReferencedMessage.tsx'

/** The pinned messages of a channel, last pinned first; its time leads to each. */
export function PinnedMessages({ channel }: { channel: ChannelWithPermissions }) {
  const { id } = channel
  const query = useQuery(pinnedMessageList, [id], { revision: channel.entry.counters.rev })
  return (
    <div className={layout.body}>
      <QueryContent query={query} loading={i18n._('Loading pinned messages')}>
        {(pins) =>
          pins.length === 0 ? (
            <p className="muted">
              {i18n._(
                'Nothing is pinned. Choose “Pin” in the menu of a message that others should find again.',
              )}
            </p>
          ) : (
            <GrowingList
              label={i18n._('Pinned')}
              className={layout.stack}
              items={pins}
              selection={id}
              render={(message) => (
                <li key={message.id} data-entry tabIndex={-1}>
                  <ReferencedMessage id={message.id} kind="quote" />
                </li>
              )}
            />
          )
        }
      </QueryContent>
    </div>
  )
}
