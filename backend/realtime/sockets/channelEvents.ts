import { callerKey } from '../../budgets/callerKey.ts'
import type { ClientFrame } from '../../../wire/realtime.ts'
import type { Channel } from './channel.ts'
import type { RealtimeContext } from '../context.ts'
import type { Message } from '../hub.ts'
import { storeBroadcast, isPersistRequested } from '../broadcast/storeBroadcast.ts'
import { receivePresence } from '../presence/receivePresence.ts'
import { renewToken } from '../authorization/renewal.ts'

/**
 * What a client says in a topic that it joined. Returns a promise where something has to be asked first;
 * frames of the same topic wait for it, so that they keep their order.
 * @param size of the frame, in bytes
 */
export function receiveEvent(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
): Promise<void> | void {
  switch (frame.event) {
    case 'broadcast':
      return receiveBroadcast(context, channel, frame, size)
    case 'presence':
      return receivePresence(context, channel, frame, size)
    case 'access_token':
      return frame.broadcast ? undefined : renewToken(context, channel, frame.payload)
    case 'phx_leave':
      return leave(channel, frame)
    default:
      // Counted and not answered, as the hosted service does.
      context.events.add(1)
  }
}

function leave(channel: Channel, frame: ClientFrame): void {
  channel.sink.reply(frame, 'ok', {})
  channel.close()
}

function receiveBroadcast(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
): Promise<void> | void {
  if (isPersistRequested(frame)) return storeBroadcast(context, channel, frame, size)
  if (channel.writes.broadcast === null) {
    return channel.canWrite('broadcast').then((allowed) => {
      if (!channel.closed) relay(context, channel, frame, size, allowed)
    })
  }
  relay(context, channel, frame, size, channel.writes.broadcast)
}

/** A refused write is not answered, so that it tells nothing; not even with `ack`. */
function relay(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
  allowed: boolean,
): void {
  if (!allowed) return
  context.events.add(1)
  if (size > context.settings.maxPayloadBytes) {
    if (channel.ack) channel.sink.reply(frame, 'error', 'payload_size_exceeded')
    return
  }
  const message = messageOf(frame)
  // Nobody could read it: the hosted service fails at it likewise.
  if (!message) return channel.close('phx_error')
  if (!countClientEvent(context, channel)) return
  context.hub.publish(channel.key, channel.name, message, channel.self ? null : channel)
  if (channel.ack) channel.sink.reply(frame, 'ok', {})
}

/** Counts a message of a client, once and once for each reader; ends the topic where its caller sends too many. */
export function countClientEvent(context: RealtimeContext, channel: Channel): boolean {
  const { clientEvents, hub } = context
  if (clientEvents.take(callerKey(channel.caller), 1 + hub.size(channel.key))) return true
  channel.shutdown('Too many messages per second')
  return false
}

/**
 * Not passed on: `meta` says that a message comes from the database, and `ids` has realtime-js read it as a
 * change of a table, in which a process that uses it may end.
 */
const reserved = ['meta', 'ids']

/** What listeners are told; null where the payload is no object, or has an event that is no name. */
function messageOf(frame: ClientFrame): Message | null {
  if (frame.broadcast) return { kind: 'broadcast', broadcast: { ...frame.broadcast, meta: null } }
  const { payload, payloadText } = frame
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null
  // realtime-js takes it for a text, in which a process that uses it may end.
  const { event = '' } = payload as { event?: unknown }
  if (typeof event !== 'string') return null
  if (payloadText !== undefined && !reserved.some((name) => Object.hasOwn(payload, name))) {
    return { kind: 'event', payload: payloadText }
  }
  const forwarded = Object.entries(payload).filter(([name]) => !reserved.includes(name))
  return { kind: 'event', payload: JSON.stringify(Object.fromEntries(forwarded)) }
}
