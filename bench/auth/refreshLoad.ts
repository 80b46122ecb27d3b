import { Latencies, type Load } from '../rest/Latencies.ts'

export interface RefreshTask {
  kind: 'refresh'
  url: string
  apikey: string
  ms: number
  /** A refresh token for each of those who refresh at once, of sessions of their own. */
  tokens: string[]
}

/** Each goes from token to token for `ms`, as a client does that never rests. Throws where one is refused. */
export async function refreshLoad({ url, apikey, ms, tokens }: RefreshTask): Promise<Load> {
  const { Agent, request } = await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: tokens.length })
  const { hostname, port } = new URL(url)
  const latencies = new Latencies()
  let count = 0
  const ask = (token: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ refresh_token: token })
      const sent = request(
        {
          agent,
          hostname,
          port,
          method: 'POST',
          path: '/auth/v1/token?grant_type=refresh_token',
          headers: {
            apikey,
            'content-type': 'application/json',
            'content-length': body.length,
            'x-forwarded-for': addressOf(count++),
          },
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => {
            if (response.statusCode !== 200) return reject(new Error(text))
            resolve((JSON.parse(text) as { refresh_token: string }).refresh_token)
          })
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const until = performance.now() + ms
  const load = await latencies.during(() =>
    Promise.all(
      tokens.map(async (first) => {
        let token = first
        for (let now = performance.now(); now < until;) {
          const begun = now
          token = await ask(token)
          now = performance.now()
          latencies.add(now - begun)
        }
      }),
    ),
  )
  agent.destroy()
  return load
}

/** An address of its own for each request, as a proxy on this machine would tell it: limits count by address. */
export function addressOf(n: number): string {
  return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
}
