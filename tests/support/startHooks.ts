import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The event that a hook received. */
export type HookEvent = Record<string, unknown> & { metadata: { name: string } & Record<string, unknown> }

export interface HookServer {
  uri: string
  /** As config.toml has them. */
  secrets: string
  events: HookEvent[]
  /** Responses by names such as "send-email"; the default is "{}", and claims with `plan: "pro"`. */
  answers: Map<string, unknown>
  stop(): Promise<void>
}

/**
 * Responds to all hooks with a valid signature, which is verified independently of the server's code, so that a mistake
 * is not made twice.
 */
export async function startHooks(): Promise<HookServer> {
  const key = Buffer.alloc(32, 'linnet')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = request.headers
      const expectedSignature = createHmac('sha256', key)
        .update(Buffer.concat([Buffer.from(`${String(id)}.${String(time)}.`), body]))
        .digest()
      const isSigned = String(signatures)
        .split(/,? /)
        .some((signature) => {
          const receivedSignature = Buffer.from(signature.replace('v1,', ''), 'base64')
          return (
            receivedSignature.length === expectedSignature.length &&
            timingSafeEqual(receivedSignature, expectedSignature)
          )
        })
      if (!isSigned || Math.abs(Number(time) * 1000 - Date.now()) > 60_000)
        return response.writeHead(401).end()
      const event = JSON.parse(body.toString('utf8')) as HookEvent
      hooks.events.push(event)
      const defaultAnswer = 'claims' in event ? { claims: { ...(event.claims as object), plan: 'pro' } } : {}
      const answer = hooks.answers.get(event.metadata.name) ?? defaultAnswer
      if (answer === 'break') return response.writeHead(500).end('the hook broke')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hooks: HookServer = {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    // The first is one that is about to be replaced.
    secrets: `v1,whsec_${Buffer.alloc(24, 'old').toString('base64')}|v1,whsec_${key.toString('base64')}`,
    events: [],
    answers: new Map(),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return hooks
}
