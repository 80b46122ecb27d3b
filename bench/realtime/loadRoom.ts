import { markNumber, type Crowd } from './crowd.ts'
import type { Speaker } from './speak.ts'

/** What one round showed; times in ms from the start of a send to its arrival at each socket. */
export interface RoomLoad {
  sent: number
  /** Deliveries, of `sent` times the sockets. */
  heard: number
  lost: number
  /** Deliveries a second, from the first send to the last arrival. */
  rate: number
  p50: number
  p95: number
  p99: number
  /** The same from the answer to the sender on, who hears of his commit: negative where a listener heard first. */
  afterAnswer: number
  /** Of a message as it arrived. */
  bytes: number
}

const patienceMs = 5_000
const filler = 'as long as what people write to each other when they have something to say. '.repeat(3)

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Says `perSecond` messages for `seconds`, whether or not those before have arrived, and waits until all of the
 * crowd has heard all, or for 5 s. A body of `bytes`, or as long as a message of people.
 */
export async function loadRoom(
  crowd: Crowd,
  speaker: Speaker,
  o: { perSecond: number; seconds: number; bytes?: number },
): Promise<RoomLoad> {
  const total = Math.round(o.perSecond * o.seconds)
  const size = crowd.size()
  const sentAt = new Float64Array(total)
  const answeredAt = new Float64Array(total)
  const heardOf = new Int32Array(total * size)
  const heardAt = new Float64Array(total * size)
  const lostBefore = crowd.lost()
  let heard = 0
  let bytes = 0
  let lastAt = 0
  let done = (): void => {}
  const complete = new Promise<void>((resolve) => (done = resolve))
  crowd.hear((n, length) => {
    lastAt = performance.now()
    bytes = length
    heardOf[heard] = n
    heardAt[heard++] = lastAt
    if (heard === total * size) done()
  })
  let failure: Error | null = null
  const say = (n: number): void => {
    sentAt[n] = performance.now()
    speaker.say(`${markNumber(n)} ${filler}`.padEnd(o.bytes ?? 0, '.').slice(0, o.bytes)).then(
      () => (answeredAt[n] = performance.now()),
      (error: Error) => (failure = error),
    )
  }
  const begun = performance.now()
  let next = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - begun) / 1000) * o.perSecond)
      while (next < due) say(next++)
      if (next < total) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  await Promise.race([complete, new Promise((resolve) => setTimeout(resolve, patienceMs))])
  crowd.hear(() => {})
  if (failure) throw failure as Error
  const latencies = Float64Array.from({ length: heard }, (_, i) => heardAt[i]! - sentAt[heardOf[i]!]!).sort()
  const afterwards = Float64Array.from({ length: heard }, (_, i) => heardAt[i]! - answeredAt[heardOf[i]!]!)
  return {
    sent: total,
    heard,
    lost: crowd.lost() - lostBefore,
    rate: heard / ((lastAt - begun) / 1000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    afterAnswer: quantile(afterwards.sort(), 0.5),
    bytes,
  }
}
