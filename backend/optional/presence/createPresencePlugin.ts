import { callerKey } from '../../budgets/callerKey.ts'
import type { ClientFrame } from '../../../wire/realtime.ts'
import { recheck } from '../../realtime/authorization/renewal.ts'
import type { RealtimeContext } from '../../realtime/context.ts'
import { createRateShares } from '../../realtime/rateShares.ts'
import type { RealtimePlugin } from '../../realtime/RealtimePlugin.ts'
import type { Channel } from '../../realtime/sockets/channel.ts'
import { toBoolean, toRecord } from '../../realtime/sockets/joinRequest.ts'
import { createPresence } from './presence.ts'

/**
 * The maximum length of a presence key. Longer keys are truncated, because each key is sent to all subscribers of the
 * topic.
 */
const maxKeyLength = 255
const tooMany = 'Too many presence messages per second'

/** A topic with its presence key, and its calls in the current window. */
interface PresenceCaller {
  key: string
  calls: { count: number; until: number }
}

/**
 * Adds presence to realtime: `track` and `untrack` of clients, and the state that they receive when they join with
 * presence enabled.
 */
export function createPresencePlugin(
  context: Pick<RealtimeContext, 'settings' | 'hub'>,
  now: () => number = () => performance.now(),
): RealtimePlugin {
  const { settings, hub } = context
  let deliveries = 0
  const presence = createPresence(hub, {
    add(diffs) {
      deliveries += diffs
    },
  })
  /** Tracked presences, and their deliveries, by caller. */
  const events = createRateShares(settings.maxPresenceEventsPerSecond, { now })
  const callers = new WeakMap<Channel, PresenceCaller>()

  const isWithinWindow = ({ calls }: PresenceCaller): boolean => {
    const at = performance.now()
    if (at > calls.until) Object.assign(calls, { count: 0, until: at + settings.clientPresenceWindowMs })
    return ++calls.count <= settings.maxClientPresenceEvents
  }

  /** Returns false if a reply was sent already. */
  const track = async (
    channel: Channel,
    frame: ClientFrame,
    payload: unknown,
    size: number,
  ): Promise<boolean> => {
    if (!channel.readExtensions.has('presence')) {
      // A join without presence is upgraded, as in the hosted service.
      channel.readExtensions.add('presence')
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
    const tracked = payload as Record<string, unknown>
    // Clients track again after each reconnect and render: an unchanged payload is not broadcast.
    if (presence.isTracked(channel, tracked)) return true
    if (size > settings.maxPayloadBytes) {
      channel.shutdown('Track message size exceeded')
      return false
    }
    if (!events.take(callerKey(channel.caller), 1 + hub.size(channel.key))) {
      channel.shutdown(tooMany)
      return false
    }
    presence.track(channel, callers.get(channel)!.key, tracked)
    return true
  }

  return {
    event: 'presence',
    async receive(channel, frame, size) {
      const request = (frame.broadcast ? {} : (frame.payload ?? {})) as { event?: unknown; payload?: unknown }
      if (typeof request.event === 'string') {
        if (!isWithinWindow(callers.get(channel)!)) {
          return channel.shutdown('Client presence rate limit exceeded')
        }
        switch (request.event.toLowerCase()) {
          case 'track':
            if (!(await track(channel, frame, request.payload ?? {}, size))) return
            break
          case 'untrack':
            presence.untrack(channel)
            break
          default:
            channel.sink.reply(frame, 'error', {})
            return
        }
      }
      if (!channel.closed) channel.sink.reply(frame, 'ok', {})
    },
    prepareJoin(channel, config) {
      const { enabled, key = '' } = toRecord(config['presence'])
      const isKey = typeof key !== 'object' && key !== ''
      callers.set(channel, {
        key: isKey ? String(key).slice(0, maxKeyLength) : crypto.randomUUID(),
        calls: { count: 0, until: -Infinity },
      })
      if (toBoolean(enabled)) channel.readExtensions.add('presence')
    },
    join: async (channel) => ({
      onJoined() {
        if (!channel.readExtensions.has('presence') || channel.reads.presence !== true) return
        if (!events.take(callerKey(channel.caller))) return channel.shutdown(tooMany)
        presence.sendState(channel)
      },
    }),
    onWriteRevoked(channel, permission) {
      if (permission === 'presence') presence.untrack(channel)
    },
    leave: presence.leave,
    stats: () => ({ deliveries, presences: presence.stats().members }),
    // Before connections are closed: those that are closed first would be reported as leaving to all others.
    stop: presence.close,
  }
}
