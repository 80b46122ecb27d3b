import { REALTIME_SUBSCRIBE_STATES, type RealtimeChannel } from '@supabase/supabase-js'

/** The payload of a broadcast listener. */
export interface ReceivedBroadcast {
  event: string
  payload: Record<string, unknown>
  [key: string]: unknown
}

/** The client's own timeout of a join, 10 s, is too short for a busy machine. */
const joinTimeoutMs = 240_000

/** Subscribes; resolves once joined, rejects with the reason of a refusal. */
export function joined(channel: RealtimeChannel): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) resolve()
      else reject(error ?? new Error(status))
    }, joinTimeoutMs)
  })
}

/** The next broadcast of that event. */
export function received(channel: RealtimeChannel, event: string): Promise<ReceivedBroadcast> {
  return new Promise((resolve) => {
    channel.on('broadcast', { event }, (message) => resolve(message as unknown as ReceivedBroadcast))
  })
}

/** Resolves with the message of the next `system` event that is an error, once the topic has closed. */
export function ended(channel: RealtimeChannel): Promise<string> {
  return new Promise((resolve) => {
    let message = ''
    channel.on('system', {}, (payload: { status: string; message: string }) => {
      if (payload.status === 'error') message = payload.message
    })
    channel.on('phx_close' as never, {} as never, () => resolve(message))
  })
}
