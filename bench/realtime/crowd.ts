import { rawReader, type RawReader } from '../load/rawReader.ts'

/** Where the crowd goes: every socket joins, and the first frame after that is its answer. */
export interface Place {
  /** Of the websocket, as http. */
  url: string
  /** What the nth socket says first. */
  join: (n: number) => string
}

/** Sockets of one process that listen together. */
export interface Crowd {
  size(): number
  /** Opens so many more sockets at once and joins with each as soon as it is open; answers how long it took, in ms. */
  grow(place: Place, count: number): Promise<number>
  /** Is called with the number and size of each message as it arrives at a socket. */
  hear(onMessage: (n: number, bytes: number) => void): void
  /** Sockets that the server has ended. */
  lost(): number
  /** Closes all but `keep`; answers once the server has closed them too. */
  shrink(keep: number): Promise<void>
}

const mark = Buffer.from('#=')
const markedDigits = 7

/** A message's number, to be found again in whatever frame carries it. */
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

export function createCrowd(): Crowd {
  interface Listener {
    reader: RawReader
    ended: Promise<void>
    leaving: boolean
  }
  const listeners: Listener[] = []
  let tell: (n: number, bytes: number) => void = () => {}
  let lost = 0

  const open = (place: Place, n: number): Promise<Listener> =>
    new Promise((resolve, reject) => {
      let joined = false
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const opening = rawReader(place.url, {
        onEnd() {
          end()
          reject(new Error('The server ended the connection.'))
          if (joined && !listener?.leaving) lost++
        },
        onFrame(_, payload) {
          const number = readNumber(payload)
          if (number !== null) return tell(number, payload.length)
          if (joined || !listener) return
          joined = true
          if (payload.includes('"error"')) reject(new Error(payload.toString()))
          else resolve(listener)
        },
      })
      let listener: Listener | null = null
      opening.then((reader) => {
        listener = { reader, ended, leaving: false }
        reader.send(place.join(n))
      }, reject)
    })

  return {
    size: () => listeners.length,
    async grow(place, count) {
      const begun = performance.now()
      const first = listeners.length
      const opened = await Promise.all(Array.from({ length: count }, (_, n) => open(place, first + n)))
      listeners.push(...opened)
      return performance.now() - begun
    },
    hear(onMessage) {
      tell = onMessage
    },
    lost: () => lost,
    async shrink(keep) {
      const leaving = listeners.splice(keep)
      for (const listener of leaving) {
        listener.leaving = true
        listener.reader.close()
      }
      await Promise.all(leaving.map(({ ended }) => ended))
    },
  }
}
