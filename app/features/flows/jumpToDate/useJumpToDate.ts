import { i18n } from '@lingui/core'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { callCommand } from '../../../data/client/callCommand.ts'
import { formatDate, isSameDay } from '../../../ui/dates.ts'
import { useToast } from '../../../ui/toast.ts'

/**
 * Returns the function that opens a channel at the first message of a day, given by its local start; null: at the first
 * message of all. Where the day has none, a toast names the message that is shown instead.
 */
export function useJumpToDate(channelId: string): (day: Date | null) => Promise<void> {
  const showToast = useToast()
  return async (day) => {
    const outcome = await callCommand('message_at', { channel: channelId, since: day?.toISOString() ?? null })
    if (!outcome.ok) return showToast({ text: outcome.failure.message })
    const { message } = outcome.value
    if (!message) return showToast({ text: i18n._('There are no messages here.') })
    navigate(pathTo('message', { channelId, messageId: message.id }))
    if (!day || isSameDay(message.created_at, day.toISOString())) return
    const values = { day: formatDate(day.toISOString()) }
    const isLater = Date.parse(message.created_at) > day.getTime()
    showToast({
      text: isLater
        ? i18n._('No messages on {day}. This is the next one.', values)
        : i18n._('No messages since {day}. This is the last one before.', values),
    })
  }
}
