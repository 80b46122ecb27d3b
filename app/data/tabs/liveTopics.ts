import { getRealtime } from '../client/getRealtime.ts'
import type { Ports, TopicListener } from '../sync/ports.ts'

/** Leaving takes a round trip; the same topic may be joined again only after it. */
const leaving = new Map<string, Promise<unknown>>()

/** Subscribes to private topics by the realtime socket of this page. */
export function liveTopics(onStatus: (live: boolean) => void): Ports['subscribe'] {
  return (topic, listener) => {
    let isOver = false
    let leave: () => void = () => {}
    void join(topic, listener, onStatus, () => isOver).then(
      (left) => {
        leave = left
        if (isOver) left()
      },
      () => {
        if (!isOver) listener.lost()
      },
    )
    return () => {
      isOver = true
      leave()
    }
  }
}

async function join(
  topic: string,
  listener: TopicListener,
  onStatus: (live: boolean) => void,
  isOver: () => boolean,
): Promise<() => void> {
  await leaving.get(topic)
  const realtime = await getRealtime()
  // Private topics require a token, which may have expired while the machine slept.
  await realtime.setAuth()
  if (isOver()) return () => {}
  const channel = realtime.channel(topic, { config: { private: true, broadcast: { self: true } } })
  let lost = false
  const lose = () => {
    if (isOver() || lost) return
    lost = true
    listener.lost()
  }
  channel.on('broadcast', { event: '*' }, (event: { event: string; payload?: unknown }) => {
    if (!isOver()) listener.received({ event: event.event, payload: event.payload })
  })
  channel.on('system', {}, (event: { status?: string }) => {
    if (event.status === 'error') lose()
  })
  channel.subscribe((status) => {
    if (isOver()) return
    if (status === 'SUBSCRIBED') {
      onStatus(true)
      listener.joined()
    } else if (realtime.isConnected()) lose()
    // Where the socket is closed, the library joins again when it is open.
    else onStatus(false)
  })
  return () => {
    const gone = realtime.removeChannel(channel).finally(() => {
      if (leaving.get(topic) === gone) leaving.delete(topic)
    })
    leaving.set(topic, gone)
  }
}

/** Milliseconds that a socket may take to respond after the machine woke. */
const PROBE_TIMEOUT_MS = 4_000

/**
 * Checks the socket by a heartbeat after the machine has slept: otherwise a dead one is detected by the second missing
 * response, half a minute later.
 */
export async function probeSocket(): Promise<void> {
  const realtime = await getRealtime()
  if (!realtime.isConnected()) return
  let isAlive = false
  // A worker times the heartbeat, and the library does not expose whether a response is pending.
  realtime.onHeartbeat((status) => {
    if (status === 'ok') isAlive = true
  })
  await realtime.sendHeartbeat()
  setTimeout(() => {
    // A second heartbeat without a response makes the library reconnect.
    if (!isAlive && realtime.isConnected()) void realtime.sendHeartbeat()
  }, PROBE_TIMEOUT_MS)
}
