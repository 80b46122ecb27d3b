import { bareLoad } from '../load/bareLoad.ts'
import type { Load } from '../rest/Latencies.ts'
import { renderRequest } from '../rest/renderRequest.ts'

export interface RefreshTask {
  kind: 'refresh'
  url: string
  apikey: string
  ms: number
  /** A refresh token for each connection, of separate sessions. */
  tokens: string[]
}

/** Each connection refreshes continuously for `ms`. Throws where a refresh is refused. */
export function refreshLoad({ url, apikey, ms, tokens }: RefreshTask): Promise<Load> {
  let count = 0
  return bareLoad({ url, ms, concurrency: tokens.length }, (connection, answer) => {
    const token = answer === null ? tokens[connection]! : tokenIn(answer)
    return renderRequest({
      url,
      method: 'POST',
      path: '/auth/v1/token?grant_type=refresh_token',
      headers: {
        apikey,
        'Content-Type': 'application/json',
        'User-Agent': 'bench',
        'X-Forwarded-For': addressOf(count++),
      },
      body: `{"refresh_token":"${token}"}`,
    })
  })
}

function tokenIn(answer: Buffer): string {
  const at = answer.indexOf('"refresh_token":"') + '"refresh_token":"'.length
  return answer.toString('latin1', at, answer.indexOf('"', at))
}

/** A different client address for each request, as a local proxy would send it: limits apply for each address. */
export function addressOf(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}
