import { Latencies, type Load } from '../rest/Latencies.ts'

export interface PacedTask {
  kind: 'paced'
  url: string
  path: string
  headers: Record<string, string>
  ms: number
  /** Requests for each second, sent without waiting for earlier responses. */
  rate: number
  bodies: string[]
}

/**
 * Sends at a constant rate (open loop) and measures from the time a request was due, so that queueing counts as latency.
 * Throws where a response is not a success.
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
