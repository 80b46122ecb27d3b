import { Agent, request } from 'node:http'
import type { Random } from '../support/random.ts'

/**
 * A fault of the connection. `before`: it ends before the request is sent; `during`: in the middle of the request;
 * `executing`: while the server works on it; `response`: in the middle of the response; `duplicated`: the request
 * arrives twice at once.
 */
export type ConnectionFault = 'none' | 'before' | 'during' | 'executing' | 'response' | 'duplicated'
export const CONNECTION_FAULTS: readonly ConnectionFault[] = [
  'before',
  'during',
  'executing',
  'response',
  'duplicated',
]

export interface PostResult {
  /** 0: no response came. */
  status: number
  body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 })
const NO_RESPONSE: PostResult = { status: 0, body: null }

/** Posts JSON, with a fault of the connection; never throws. */
export async function post(
  url: string,
  headers: Record<string, string>,
  args: object,
  random: Random,
  fault: ConnectionFault = 'none',
): Promise<PostResult> {
  if (fault !== 'duplicated') return postOnce(url, headers, args, random, fault)
  const [first, second] = await Promise.all([
    postOnce(url, headers, args, random, 'none'),
    postOnce(url, headers, args, random, 'none'),
  ])
  return first.status === 0 ? second : first
}

function postOnce(
  url: string,
  headers: Record<string, string>,
  args: object,
  random: Random,
  fault: ConnectionFault,
): Promise<PostResult> {
  const bytes = Buffer.from(JSON.stringify(args))
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: 'POST',
      // Closing the connection must not affect other requests.
      agent: fault === 'none' ? agent : false,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': bytes.length },
    })
    outgoing.on('error', () => resolve(NO_RESPONSE))
    let hasResponse = false
    outgoing.on('response', (response) => {
      hasResponse = true
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => {
        parts.push(part)
        if (fault === 'response') response.destroy()
      })
      response.on('error', () => resolve(NO_RESPONSE))
      response.on('close', () => {
        if (!response.complete || fault === 'response') resolve(NO_RESPONSE)
        else
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(parts).toString() || 'null'),
          })
      })
    })
    if (fault === 'before') outgoing.destroy()
    else if (fault === 'during') {
      outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy())
    } else if (fault === 'executing') {
      // The server may or may not have started the transaction by then.
      outgoing.end(bytes, () => setTimeout(() => outgoing.destroy(), random.next() * 8))
    } else outgoing.end(bytes)
    outgoing.on('close', () => {
      if (!hasResponse) resolve(NO_RESPONSE)
    })
  })
}

/** Closes idle connections. */
export function closeConnections(): void {
  agent.destroy()
}
