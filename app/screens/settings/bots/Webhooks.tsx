import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import type { Bot } from '../../../../wire/bots.ts'
import { browseChannels } from '../../../data/channels/manageChannels.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { listWebhooks } from '../../../data/bots/bots.ts'
import { useAsync } from '../../../ui/useAsync.ts'
import { IncomingWebhooks } from './IncomingWebhooks.tsx'
import { OutgoingWebhooks } from './OutgoingWebhooks.tsx'

interface Props {
  bot: Bot
  /** A webhook of a former admin was replaced, kept or deleted. */
  onReviewed: () => void
}

/** The webhooks of a bot, in both directions. */
export function Webhooks({ bot, onReviewed }: Props) {
  const [reloadKey, setReloadKey] = useState(0)
  const outcome = useAsync(
    useCallback(() => listWebhooks(bot.id), [bot.id]),
    reloadKey,
  )
  const onChanged = () => {
    setReloadKey(reloadKey + 1)
    if (bot.unmanaged > 0) onReviewed()
  }
  const shared = { bot, channelName: useChannelName(), onChanged }
  return (
    <>
      {outcome?.ok === false ? <p role="alert">{outcome.failure.message}</p> : null}
      <IncomingWebhooks {...shared} webhooks={outcome?.ok ? outcome.value.incoming : []} />
      <OutgoingWebhooks {...shared} webhooks={outcome?.ok ? outcome.value.outgoing : []} />
    </>
  )
}

/** The names of channels that the user can read, as "#name". */
function useChannelName(): (id: string) => string {
  const { channels } = useSidebar()
  const browsed = useAsync(browseChannels)
  return (id) => {
    const name =
      channels.find((one) => one.id === id)?.name ??
      (browsed?.ok ? browsed.value.find((one) => one.channel.id === id)?.channel.name : null)
    return name ? `#${name}` : i18n._('a channel')
  }
}
