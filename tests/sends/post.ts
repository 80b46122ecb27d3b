import { Agent, request } from 'node:http'

/**
 * What becomes of a request. `before`: the connection ends before it is sent; `during`: in the middle of it; `sent`:
 * while it is worked on; `answer`: in the middle of the answer; `doubled`: it arrives twice at once.
 */
export type Mishap = 'none' | 'before' | 'during' | 'sent' | 'answer' | 'doubled'
export const MISHAPS: readonly Mishap[] = ['before', 'during', 'sent', 'answer', 'doubled']

export interface Answered {
  /** 0: no answer came. */
  status: number
  body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
const NO_ANSWER: Answered = { status: 0, body: null }

/** Posts JSON, with a mishap on the way; never throws. */
export async function post(
  url: string,
  headers: Record<string, string>,
  args: object,
  mishap: Mishap = 'none',
): Promise<Answered> {
  if (mishap !== 'doubled') return once(url, headers, args, mishap)
  const [first, second] = await Promise.all([
    once(url, headers, args, 'none'),
    once(url, headers, args, 'none'),
  ])
  return first.status === 0 ? second : first
}

function once(url: string, headers: Record<string, string>, args: object, mishap: Mishap): Promise<Answered> {
  const bytes = Buffer.from(JSON.stringify(args))
  return new Promise((resolve) => {
    const asked = request(url, {
      method: 'POST',
      // One that is cut must take no other with it.
      agent: mishap === 'none' ? agent : false,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
    })
    asked.on('error', () => resolve(NO_ANSWER))
    let answering = false
    asked.on('response', (answer) => {
      answering = true
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => {
        parts.push(part)
        if (mishap === 'answer') answer.destroy()
      })
      answer.on('error', () => resolve(NO_ANSWER))
      answer.on('close', () => {
        if (!answer.complete || mishap === 'answer') resolve(NO_ANSWER)
        else
          resolve({
            status: answer.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(parts).toString() || 'null'),
          })
      })
    })
    if (mishap === 'before') asked.destroy()
    else if (mishap === 'during') {
      asked.write(bytes.subarray(0, bytes.length >> 1), () => asked.destroy())
    } else if (mishap === 'sent') {
      // The bytes are on their way; whether the database is at it yet is a matter of luck.
      asked.end(bytes, () => setTimeout(() => asked.destroy(), Math.random() * 8))
    } else asked.end(bytes)
    asked.on('close', () => {
      if (!answering) resolve(NO_ANSWER)
    })
  })
}

/** Ends the connections that are kept for the next request. */
export function closeConnections(): void {
  agent.destroy()
}
