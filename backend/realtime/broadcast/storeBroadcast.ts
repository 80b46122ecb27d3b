import { callerKey } from '../../budgets/callerKey.ts'
import type { BroadcastPush, ClientFrame } from '../../../wire/realtime.ts'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { newMessageId, parsePersist } from './messageStore.ts'

/**
 * Counts an event of a client, once and once per subscriber who receives it. If the caller exceeds its limits, closes
 * the topic for that client and returns false.
 */
export function countEvent({ events }: RealtimeContext, channel: Channel, subscribers: number): boolean {
  if (events.take(callerKey(channel.caller), 1 + subscribers)) return true
  channel.shutdown('Too many messages per second')
  return false
}

/** Whether the sender requested to store the broadcast for replay. Only binary pushes can. */
export function isPersistRequested(frame: ClientFrame): frame is BroadcastPush {
  return frame.broadcast !== undefined && parsePersist(frame.broadcast.meta?.['persist']) !== null
}

/**
 * Publishes a broadcast and stores it. It is published first and acknowledged with its ID once it is stored, so that
 * subscribers do not wait for the disk. A sender without permission to store gets an error if it requested
 * acknowledgements, and the message is not published.
 */
export function storeBroadcast(
  context: RealtimeContext,
  channel: Channel,
  frame: BroadcastPush,
  size: number,
): Promise<void> | void {
  const { writes } = channel
  if (writes.broadcast !== null && writes.persistence !== null) {
    return publishAndStore(context, channel, frame, size, writes.broadcast, writes.persistence)
  }
  return Promise.all([channel.canWrite('broadcast'), channel.canWrite('persistence')]).then(
    ([canBroadcast, canStore]) => {
      if (!channel.closed) publishAndStore(context, channel, frame, size, canBroadcast, canStore)
    },
  )
}

function publishAndStore(
  context: RealtimeContext,
  channel: Channel,
  frame: BroadcastPush,
  size: number,
  canBroadcast: boolean,
  canStore: boolean,
): void {
  // No reply, as for any refused broadcast, so that nothing is revealed.
  if (!canBroadcast) return
  const reply = (status: 'ok' | 'error', response: unknown): void => {
    if (channel.ack && !channel.closed) channel.sink.reply(frame, status, response)
  }
  const persist = parsePersist(frame.broadcast.meta?.['persist'])
  if (persist === null || persist === 'invalid') {
    return reply('error', { error: 'InvalidPersist: persist is true or {ttl: seconds}' })
  }
  if (!channel.isPrivate) {
    return reply('error', { error: 'Unauthorized: Messages can only be stored on private channels' })
  }
  if (!canStore) {
    const error = `Unauthorized: You do not have permissions to store messages of this Channel topic: ${channel.name}`
    return reply('error', { error })
  }
  if (!countEvent(context, channel, context.hub.size(channel.key))) return
  if (size > context.settings.maxPayloadBytes) return reply('error', 'payload_size_exceeded')
  const id = newMessageId()
  const broadcast = { ...frame.broadcast, meta: { id } }
  const except = channel.self ? null : channel
  context.hub.publish(channel.key, channel.name, { kind: 'broadcast', broadcast }, except)
  void context.messages.store({ id, topic: channel.name, broadcast, persist }).then((isStored) => {
    if (isStored) reply('ok', { id })
    else reply('error', { error: 'UnableToPersistMessage: The message was sent but could not be stored' })
  })
}
