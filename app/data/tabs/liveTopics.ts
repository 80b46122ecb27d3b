import { getClient } from '../client/getClient.ts'
import type { Ports, TopicListener } from '../sync/ports.ts'

/** Leaving takes a round trip; the same topic may be joined again only after it. */
const leaving = new Map<string, Promise<unknown>>()

/** Holds private topics on the realtime socket of this page. */
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
  const client = await getClient()
  // Without a token a private topic is refused; after sleep the held one may have run out.
  await client.realtime.setAuth()
  if (isOver()) return () => {}
  const channel = client.channel(topic, { config: { private: true, broadcast: { self: true } } })
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
    } else if (client.realtime.isConnected()) lose()
    // With the socket gone the library joins again by itself when it is back.
    else onStatus(false)
  })
  return () => {
    const gone = client.removeChannel(channel).finally(() => {
      if (leaving.get(topic) === gone) leaving.delete(topic)
    })
    leaving.set(topic, gone)
  }
}

/** So long a socket may take to answer after the machine woke, ms. */
const PROBE_TIMEOUT_MS = 4_000

/**
 * Asks the socket whether it lives: one that died while the machine slept is noticed now rather than by the second
 * heartbeat that nobody answers, half a minute later.
 */
export async function probeSocket(): Promise<void> {
  const { realtime } = await getClient()
  if (!realtime.isConnected()) return
  let isAlive = false
  // With its heartbeat kept by a worker, the library doesn't show whether one waits for its answer.
  realtime.onHeartbeat((status) => {
    if (status === 'ok') isAlive = true
  })
  await realtime.sendHeartbeat()
  setTimeout(() => {
    // A heartbeat while the last one has no answer yet makes the library connect anew.
    if (!isAlive && realtime.isConnected()) void realtime.sendHeartbeat()
  }, PROBE_TIMEOUT_MS)
}
