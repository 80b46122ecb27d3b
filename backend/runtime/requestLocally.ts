import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/**
 * Sends a request to a server on this machine. Does not verify the certificate, which is for the public name: the connection
 * stays on this machine. Rejects if there is no response within `timeoutMs`.
 */
export function requestLocally(
  url: string,
  o: { method?: string; headers?: Record<string, string>; body?: string; timeoutMs: number },
): Promise<{ status: number; text: string }> {
  const { method = 'GET', headers = {}, body, timeoutMs } = o
  const options = { method, headers, signal: AbortSignal.timeout(timeoutMs), agent: false } as const
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? requestHttps(url, { ...options, rejectUnauthorized: false })
      : requestHttp(url, options)
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    request.end(body)
  })
}
