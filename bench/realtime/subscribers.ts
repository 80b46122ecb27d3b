import { rawReader, type RawReader } from '../load/rawReader.ts'
import { readNumber } from './messageNumbers.ts'

/** The server of the subscribers. */
export interface Endpoint {
  url: string
  /** What the nth subscriber joins with: the first message of a websocket, or the name of an XMPP account. */
  join: (n: number) => string
}

/** A joined connection. */
export interface Subscriber {
  /** Sends a frame of a websocket, or the body of a message in XMPP. */
  send(text: string): void
  close(): void
}

export interface SubscriberEvents {
  /** The number and size of each message that arrives. */
  onMessage(n: number, bytes: number): void
  /** The connection is closed, by either side. */
  onEnd(): void
}

/** Connects and joins; rejects if the server refuses or closes the connection. */
export type OpenSubscriber = (endpoint: Endpoint, n: number, events: SubscriberEvents) => Promise<Subscriber>

/** Subscribed connections of one process. */
export interface Subscribers {
  size(): number
  /** Opens `count` further connections concurrently and joins with each; returns the duration in ms. */
  grow(endpoint: Endpoint, count: number): Promise<number>
  /** Sends by the nth connection. */
  send(n: number, text: string): void
  /** Sets the callback for the number and size of each message that a connection receives. */
  setHandler(onMessage: (n: number, bytes: number) => void): void
  /** Connections that the server has closed. */
  lost(): number
  /** Closes all but `keep`; resolves when the server has closed them too. */
  shrink(keep: number): Promise<void>
}

/** By a websocket at an http URL: the first frame that is not a message is the response to the join. */
export const openWebSocketSubscriber: OpenSubscriber = ({ url, join }, n, { onMessage, onEnd }) =>
  new Promise((resolve, reject) => {
    let joined = false
    let reader: RawReader | null = null
    const opening = rawReader(url, {
      onEnd() {
        reject(new Error('The server ended the connection.'))
        onEnd()
      },
      onFrame(_, payload) {
        const marked = readNumber(payload)
        if (marked) return onMessage(marked.number, payload.length)
        if (joined || !reader) return
        joined = true
        if (payload.includes('"error"')) reject(new Error(payload.toString()))
        else resolve(reader)
      },
    })
    opening.then((opened) => {
      reader = opened
      opened.send(join(n))
    }, reject)
  })

export function createSubscribers(open: OpenSubscriber): Subscribers {
  interface Opened {
    subscriber: Subscriber
    ended: Promise<void>
    leaving: boolean
  }
  const all: Opened[] = []
  let handler: (n: number, bytes: number) => void = () => {}
  let lost = 0

  const openOne = async (endpoint: Endpoint, n: number): Promise<Opened> => {
    let opened = null as Opened | null
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const subscriber = await open(endpoint, n, {
      onMessage: (number, bytes) => handler(number, bytes),
      onEnd() {
        end()
        if (opened && !opened.leaving) lost++
      },
    })
    opened = { subscriber, ended, leaving: false }
    return opened
  }

  return {
    size: () => all.length,
    async grow(endpoint, count) {
      const begun = performance.now()
      const first = all.length
      all.push(...(await Promise.all(Array.from({ length: count }, (_, n) => openOne(endpoint, first + n)))))
      return performance.now() - begun
    },
    send: (n, text) => all[n]!.subscriber.send(text),
    setHandler(onMessage) {
      handler = onMessage
    },
    lost: () => lost,
    async shrink(keep) {
      const leaving = all.splice(keep)
      for (const opened of leaving) {
        opened.leaving = true
        opened.subscriber.close()
      }
      await Promise.all(leaving.map(({ ended }) => ended))
    },
  }
}
