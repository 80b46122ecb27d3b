import type { ClientFrame } from '../../wire/realtime.ts'
import type { Channel } from './channel.ts'
import type { RealtimeContext } from './context.ts'
import { receivePresence } from './receivePresence.ts'
import { renewToken } from './renewal.ts'

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
  // The leave of an earlier join must not end the one that followed it.
  if (frame.joinRef === null || frame.joinRef === channel.joinRef) channel.close()
}

function receiveBroadcast(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
): Promise<void> | void {
  if (channel.writes.broadcast === null) {
    return channel.mayWrite('broadcast').then((allowed) => {
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
  context.hub.publish(
    channel.key,
    channel.name,
    frame.broadcast
      ? { kind: 'broadcast', broadcast: { ...frame.broadcast, meta: null } }
      : { kind: 'event', event: 'broadcast', payload: frame.payload },
    channel.self ? null : channel,
  )
  if (channel.ack) channel.sink.reply(frame, 'ok', {})
}
