import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Stands for a captcha's provider. */
export interface Judge {
  url: string
  /** The forms that were sent, the newest last. */
  asked: Record<string, string>[]
  stop(): Promise<void>
}

/** Believes the token "good" alone, and answers "no answer" with words that are no verdict. */
export async function startJudge(): Promise<Judge> {
  const asked: Judge['asked'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const form = Object.fromEntries(new URLSearchParams(body))
    asked.push(form)
    const refusal = { success: false, 'error-codes': ['invalid-input-response', 'stale'] }
    const verdict = form['response'] === 'good' ? { success: true } : refusal
    response.end(form['response'] === 'no answer' ? 'busy' : JSON.stringify(verdict))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    asked,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
