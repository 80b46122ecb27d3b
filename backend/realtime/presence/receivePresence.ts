import { callerKey } from '../../budgets/callerKey.ts'
import type { ClientFrame } from '../../../wire/realtime.ts'
import type { Channel } from '../sockets/channel.ts'
import type { RealtimeContext } from '../context.ts'
import { recheck } from '../authorization/renewal.ts'

const tooMany = 'Too many presence messages per second'

/** Tells one who has just joined who is there, where he asked for it and may know. */
export function sendPresence(context: RealtimeContext, channel: Channel): void {
  if (!channel.usesPresence || channel.reads.presence !== true) return
  if (!context.presenceEvents.take(callerKey(channel.caller))) return channel.shutdown(tooMany)
  context.presence.sendState(channel)
}

/** A `presence` event: `track` shows the caller to those who may see, `untrack` hides him. */
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

/** False where it has been answered already. */
async function track(
  context: RealtimeContext,
  channel: Channel,
  frame: ClientFrame,
  payload: unknown,
  size: number,
): Promise<boolean> {
  if (!channel.usesPresence) {
    // Joined without presence: from here on with it, as the hosted service has it.
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
  // Clients track again after each reconnect and at each render: nobody else need hear of it.
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
