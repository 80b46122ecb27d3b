import { markNumber } from './messageNumbers.ts'
import type { Subscribers } from './subscribers.ts'
import type { Sender } from './senders.ts'

/** The result of one round; times in ms from the start of a send to its arrival at each socket. */
export interface ChannelLoad {
  sent: number
  /** Deliveries, of `sent` times the sockets. */
  received: number
  lost: number
  /** Deliveries a second, from the first send to the last arrival. */
  rate: number
  p50: number
  p95: number
  p99: number
  /** The same from the response to the sender: negative where a subscriber received the message earlier. */
  afterResponse: number
  /** Of a received message. */
  bytes: number
}

const timeoutMs = 5_000
/** The number of the next message. Each has its own, so that messages which arrive after their round are not counted. */
let nextNumber = 0
const filler = 'as long as what people write to each other when they have something to say. '.repeat(3)

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/**
 * Sends `perSecond` messages for `seconds`, without waiting for earlier ones, and then waits until all subscribers have
 * received all, for at most 5 s. Bodies have `bytes`, or a typical length.
 */
export async function loadChannel(
  subscribers: Subscribers,
  sender: Sender,
  o: { perSecond: number; seconds: number; bytes?: number },
): Promise<ChannelLoad> {
  const total = Math.round(o.perSecond * o.seconds)
  const size = subscribers.size()
  const first = nextNumber
  nextNumber += total
  const sentAt = new Float64Array(total)
  const answeredAt = new Float64Array(total)
  const receivedNumber = new Int32Array(total * size)
  const receivedAt = new Float64Array(total * size)
  const lostBefore = subscribers.lost()
  let received = 0
  let bytes = 0
  let lastAt = 0
  let done = (): void => {}
  const complete = new Promise<void>((resolve) => (done = resolve))
  subscribers.setHandler((number, length) => {
    const n = number - first
    if (n < 0) return
    lastAt = performance.now()
    bytes = length
    receivedNumber[received] = n
    receivedAt[received++] = lastAt
    if (received === total * size) done()
  })
  let failure: Error | null = null
  const send = (n: number): void => {
    sentAt[n] = performance.now()
    sender.send(`${markNumber(first + n)} ${filler}`.padEnd(o.bytes ?? 0, '.').slice(0, o.bytes)).then(
      () => (answeredAt[n] = performance.now()),
      (error: Error) => (failure = error),
    )
  }
  const begun = performance.now()
  let next = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - begun) / 1000) * o.perSecond)
      while (next < due) send(next++)
      if (next < total) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  await Promise.race([complete, new Promise((resolve) => setTimeout(resolve, timeoutMs))])
  subscribers.setHandler(() => {})
  if (failure) throw failure as Error
  const latencies = Float64Array.from(
    { length: received },
    (_, i) => receivedAt[i]! - sentAt[receivedNumber[i]!]!,
  ).sort()
  const afterwards = Float64Array.from(
    { length: received },
    (_, i) => receivedAt[i]! - answeredAt[receivedNumber[i]!]!,
  )
  return {
    sent: total,
    received,
    lost: subscribers.lost() - lostBefore,
    rate: received / ((lastAt - begun) / 1000),
    p50: quantile(latencies, 0.5),
    p95: quantile(latencies, 0.95),
    p99: quantile(latencies, 0.99),
    afterResponse: quantile(afterwards.sort(), 0.5),
    bytes,
  }
}
