import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fake captcha provider. */
export interface CaptchaProvider {
  url: string
  /** The received forms, newest last. */
  received: Record<string, string>[]
  stop(): Promise<void>
}

/** Accepts only the token "good", and responds to "no answer" with invalid JSON. */
export async function startCaptchaProvider(): Promise<CaptchaProvider> {
  const received: CaptchaProvider['received'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const form = Object.fromEntries(new URLSearchParams(body))
    received.push(form)
    const refusal = { success: false, 'error-codes': ['invalid-input-response', 'stale'] }
    const verdict = form['response'] === 'good' ? { success: true } : refusal
    response.end(form['response'] === 'no answer' ? 'busy' : JSON.stringify(verdict))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    received,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
