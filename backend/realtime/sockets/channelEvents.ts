import type { ClientFrame } from '../../../wire/realtime.ts'
import type { Channel } from './channel.ts'
import type { RealtimeContext } from '../context.ts'
import type { Message } from '../hub.ts'
import { countEvent, isPersistRequested, storeBroadcast } from '../broadcast/storeBroadcast.ts'
import { renewToken } from '../authorization/renewal.ts'

/**
 * Handles an event of a client in a topic that it joined. Returns a promise if the database is needed; later frames of
 * the topic wait for it, so that their order is preserved.
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
    case 'access_token':
      return frame.broadcast ? undefined : renewToken(context, channel, frame.payload)
    case 'phx_leave':
      return leave(channel, frame)
    default: {
      const plugin = context.plugins.find(({ event }) => event === frame.event)
      if (plugin) return plugin.receive?.(channel, frame, size)
      // Counted without a reply, as in the hosted service.
      countEvent(context, channel, 0)
    }
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

/** A refused write gets no reply, not even with `ack`, so that nothing is revealed. */
function relay(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
  allowed: boolean,
): void {
  if (!allowed) return
  if (!countEvent(context, channel, context.hub.size(channel.key))) return
  if (size > context.settings.maxPayloadBytes) {
    if (channel.ack) channel.sink.reply(frame, 'error', 'payload_size_exceeded')
    return
  }
  const message = messageOf(frame)
  // No client could parse it; the hosted service fails in the same way.
  if (!message) return channel.close('phx_error')
  context.hub.publish(channel.key, channel.name, message, channel.self ? null : channel)
  if (channel.ack) channel.sink.reply(frame, 'ok', {})
}

/**
 * Not forwarded: `meta` marks messages of the database, and with `ids` realtime-js treats a message as a table change,
 * which may crash a process that uses it.
 */
const reserved = ['meta', 'ids']

/** The message for subscribers; null if the payload is not an object, or its event not a string. */
function messageOf(frame: ClientFrame): Message | null {
  if (frame.broadcast) return { kind: 'broadcast', broadcast: { ...frame.broadcast, meta: null } }
  const { payload, payloadText } = frame
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null
  // realtime-js expects a string; another type may crash a process that uses it.
  const { event = '' } = payload as { event?: unknown }
  if (typeof event !== 'string') return null
  if (payloadText !== undefined && !reserved.some((name) => Object.hasOwn(payload, name))) {
    return { kind: 'event', event: 'broadcast', payload: payloadText }
  }
  const forwarded = Object.entries(payload).filter(([name]) => !reserved.includes(name))
  return { kind: 'event', event: 'broadcast', payload: JSON.stringify(Object.fromEntries(forwarded)) }
}
