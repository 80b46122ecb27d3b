import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** The description of a schema, which a server sends at `/rest/v1/`, is the longest response. */
const defaultMaxLength = 16 * 1024 * 1024

/**
 * Sends a request to a server on this machine. Does not verify the certificate, which is for the public name: the connection
 * stays on this machine. Rejects if there is no response within `timeoutMs`, or if its text is longer than `maxLength`.
 */
export function requestLocally(
  url: string,
  o: {
    method?: string
    headers?: Record<string, string>
    body?: string
    timeoutMs: number
    maxLength?: number
  },
): Promise<{ status: number; text: string }> {
  const { method = 'GET', headers = {}, body, timeoutMs, maxLength = defaultMaxLength } = o
  const options = { method, headers, signal: AbortSignal.timeout(timeoutMs), agent: false } as const
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? requestHttps(url, { ...options, rejectUnauthorized: false })
      : requestHttp(url, options)
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxLength) request.destroy(new Error('The response is too long.'))
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text }))
    })
    request.end(body)
  })
}
