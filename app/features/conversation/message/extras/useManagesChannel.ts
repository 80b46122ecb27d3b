import type { Message } from '../../../../../wire/messages.ts'
import { useChannel } from '../../../../data/channels/channels.ts'

/** Whether the reader may change messages of others in the channel of a message; false without a message. */
export function useManagesChannel(message: Message | null): boolean {
  const channel = useChannel(message?.channel_id ?? '')
  return typeof channel !== 'string' && channel.permissions.deleteAny
}
