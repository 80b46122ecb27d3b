import { i18n } from '@lingui/core'
import type { Bot } from '../../../../wire/bots.ts'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { webhookList } from '../../../data/bots/bots.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { IncomingWebhooks } from './IncomingWebhooks.tsx'
import { OutgoingWebhooks } from './OutgoingWebhooks.tsx'

/** The webhooks of a bot, in both directions. */
export function Webhooks({ bot }: { bot: Bot }) {
  const shared = { bot, channelName: useChannelName() }
  return (
    <QueryContent query={useQuery(webhookList, [bot.id])} loading={i18n._('Incoming webhooks')}>
      {({ incoming, outgoing }) => (
        <>
          <IncomingWebhooks {...shared} webhooks={incoming} />
          <OutgoingWebhooks {...shared} webhooks={outgoing} />
        </>
      )}
    </QueryContent>
  )
}

/** The names of channels that the user can read, as "#name". */
function useChannelName(): (id: string) => string {
  const { channels } = useSidebar()
  const browsed = useQuery(publicChannels)
  return (id) => {
    const name =
      channels.find((one) => one.id === id)?.name ??
      browsed.value?.find((one) => one.channel.id === id)?.channel.name
    return name ? `#${name}` : i18n._('a channel')
  }
}
