import { rawReader, type RawReader } from '../load/rawReader.ts'

/** The server of the subscribers: every socket joins, and the next frame is the response. */
export interface Endpoint {
  /** Of the websocket, as http. */
  url: string
  /** The first message of the nth socket. */
  join: (n: number) => string
}

/** Subscribed sockets of one process. */
export interface Subscribers {
  size(): number
  /** Opens `count` further sockets concurrently and joins with each; returns the duration in ms. */
  grow(endpoint: Endpoint, count: number): Promise<number>
  /** Sets the callback for the number and size of each message that a socket receives. */
  setHandler(onMessage: (n: number, bytes: number) => void): void
  /** Sockets that the server has closed. */
  lost(): number
  /** Closes all but `keep`; resolves when the server has closed them too. */
  shrink(keep: number): Promise<void>
}

const mark = Buffer.from('#=')
const markedDigits = 7

/** A marker with the number of a message, which is found in any frame format. */
export function markNumber(n: number): string {
  return `${mark.toString()}${String(n).padStart(markedDigits, '0')}`
}

function readNumber(payload: Buffer): number | null {
  const at = payload.indexOf(mark)
  if (at < 0) return null
  let n = 0
  for (let i = at + mark.length; i < at + mark.length + markedDigits; i++) n = n * 10 + payload[i]! - 0x30
  return n
}

export function createSubscribers(): Subscribers {
  interface Subscriber {
    reader: RawReader
    ended: Promise<void>
    leaving: boolean
  }
  const subscribers: Subscriber[] = []
  let handler: (n: number, bytes: number) => void = () => {}
  let lost = 0

  const open = (endpoint: Endpoint, n: number): Promise<Subscriber> =>
    new Promise((resolve, reject) => {
      let joined = false
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const opening = rawReader(endpoint.url, {
        onEnd() {
          end()
          reject(new Error('The server ended the connection.'))
          if (joined && !subscriber?.leaving) lost++
        },
        onFrame(_, payload) {
          const number = readNumber(payload)
          if (number !== null) return handler(number, payload.length)
          if (joined || !subscriber) return
          joined = true
          if (payload.includes('"error"')) reject(new Error(payload.toString()))
          else resolve(subscriber)
        },
      })
      let subscriber: Subscriber | null = null
      opening.then((reader) => {
        subscriber = { reader, ended, leaving: false }
        reader.send(endpoint.join(n))
      }, reject)
    })

  return {
    size: () => subscribers.length,
    async grow(endpoint, count) {
      const begun = performance.now()
      const first = subscribers.length
      const opened = await Promise.all(Array.from({ length: count }, (_, n) => open(endpoint, first + n)))
      subscribers.push(...opened)
      return performance.now() - begun
    },
    setHandler(onMessage) {
      handler = onMessage
    },
    lost: () => lost,
    async shrink(keep) {
      const leaving = subscribers.splice(keep)
      for (const subscriber of leaving) {
        subscriber.leaving = true
        subscriber.reader.close()
      }
      await Promise.all(leaving.map(({ ended }) => ended))
    },
  }
}
