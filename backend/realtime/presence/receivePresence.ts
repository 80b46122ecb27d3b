import { callerKey } from '../../budgets/callerKey.ts'
import type { ClientFrame } from '../../../wire/realtime.ts'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { recheck } from '../authorization/renewal.ts'

const tooMany = 'Too many presence messages per second'

/** Sends the presence state after a join, if presence is enabled and the caller may read it. */
export function sendPresence(context: RealtimeContext, channel: Channel): void {
  if (!channel.usesPresence || channel.reads.presence !== true) return
  if (!context.presenceEvents.take(callerKey(channel.caller))) return channel.shutdown(tooMany)
  context.presence.sendState(channel)
}

/** Handles a `presence` event: `track` or `untrack`. */
export async function receivePresence(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  size: number,
): Promise<void> {
  const request = (frame.broadcast ? {} : (frame.payload ?? {})) as { event?: unknown; payload?: unknown }
  if (typeof request.event === 'string') {
    if (!isWithinWindow(context, channel)) return channel.shutdown('Client presence rate limit exceeded')
    switch (request.event.toLowerCase()) {
      case 'track':
        if (!(await track(context, channel, frame, request.payload ?? {}, size))) return
        break
      case 'untrack':
        context.presence.untrack(channel)
        break
      default:
        channel.sink.reply(frame, 'error', {})
        return
    }
  }
  if (!channel.closed) channel.sink.reply(frame, 'ok', {})
}

/** Returns false if a reply was sent already. */
async function track(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  payload: unknown,
  size: number,
): Promise<boolean> {
  if (!channel.usesPresence) {
    // A join without presence is upgraded, as in the hosted service.
    channel.usesPresence = true
    await recheck(channel)
    if (channel.closed) return false
  }
  if (!(await channel.canWrite('presence'))) {
    channel.sink.reply(frame, 'error', {})
    return false
  }
  if (channel.closed) return false
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    channel.sink.reply(frame, 'error', { reason: 'Presence track payload must be a map' })
    return false
  }
  const presence = payload as Record<string, unknown>
  // Clients track again after each reconnect and render: an unchanged payload is not broadcast.
  if (context.presence.isTracked(channel, presence)) return true
  if (size > context.settings.maxPayloadBytes) {
    channel.shutdown('Track message size exceeded')
    return false
  }
  if (!context.presenceEvents.take(callerKey(channel.caller), 1 + context.hub.size(channel.key))) {
    channel.shutdown(tooMany)
    return false
  }
  context.presence.track(channel, presence)
  return true
}

function isWithinWindow({ settings }: RealtimeContext, channel: Channel): boolean {
  const now = performance.now()
  const window = channel.presenceCalls
  if (!window || now > window.until) {
    channel.presenceCalls = { count: 1, until: now + settings.clientPresenceWindowMs }
    return true
  }
  window.count++
  return window.count <= settings.maxClientPresenceEvents
}
