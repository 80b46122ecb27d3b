import { Latencies, type Load } from '../rest/Latencies.ts'

export interface PacedTask {
  kind: 'paced'
  url: string
  path: string
  headers: Record<string, string>
  ms: number
  /** Requests a second, sent whether those before were answered or not. */
  rate: number
  bodies: string[]
}

/**
 * Sends at an even pace, as people do who don't know of each other, and measures from the moment that a request was
 * due: one that waits for its turn is late too. Throws where an answer is no success.
 */
export async function pacedLoad({ url, path, headers, ms, rate, bodies }: PacedTask): Promise<Load> {
  const latencies = new Latencies()
  const begun = performance.now()
  const send = async (n: number): Promise<void> => {
    const due = begun + (n * 1000) / rate
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: bodies[n]! })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    latencies.add(performance.now() - due)
  }
  const count = Math.min(bodies.length, Math.floor((ms / 1000) * rate))
  return latencies.during(() => Promise.all(Array.from({ length: count }, (_, n) => send(n))))
}
