import { Agent, request } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'

export interface TimedCall<Response> {
  /** Until the last byte of the response. */
  ms: number
  /** Of the response's body as a browser receives it: compressed, by the server or by a proxy before it. */
  bytes: number
  response: Response
}

/** A connection to `/rest/v1/rpc` of one caller, who accepts gzip. */
export interface TimedClient {
  call: <Response>(name: string, args: object) => Promise<TimedCall<Response>>
  close: () => void
}

export function createTimedClient(
  server: { url: string; publishableKey: string },
  token: string,
): TimedClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    apikey: server.publishableKey,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
  }
  return {
    call: <Response>(name: string, args: object) =>
      new Promise<TimedCall<Response>>((resolve, reject) => {
        const begun = performance.now()
        const outgoing = request(
          `${server.url}/rest/v1/rpc/${name}`,
          { agent, method: 'POST', headers },
          (incoming) => {
            const chunks: Buffer[] = []
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
            incoming.on('end', () => {
              const ms = performance.now() - begun
              const body = Buffer.concat(chunks)
              const isCompressed = incoming.headers['content-encoding'] === 'gzip'
              const text = (isCompressed ? gunzipSync(body) : body).toString()
              if (incoming.statusCode !== 200) {
                reject(new Error(`${name} responded with ${incoming.statusCode}: ${text}`))
                return
              }
              const { length } = isCompressed || body.length < 1024 ? body : gzipSync(body)
              resolve({ ms, bytes: length, response: JSON.parse(text) as Response })
            })
          },
        )
        outgoing.on('error', reject)
        outgoing.end(JSON.stringify(args))
      }),
    close: () => agent.destroy(),
  }
}
