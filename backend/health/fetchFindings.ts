import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { isCheckCode } from '../../wire/serverChecks.ts'
import type { LocalFinding } from './LocalFinding.ts'

/** Longer than the slowest check of a server. */
const timeoutMs = 40_000
const maxBytes = 1024 * 1024

/**
 * The findings of the server that runs on this machine; null if it does not respond. Findings of another version that this
 * one does not know are left out.
 * @param dashboard the URL of its administration page
 */
export async function fetchFindings(
  dashboard: string,
  { isFresh }: { isFresh: boolean },
): Promise<LocalFinding[] | null> {
  try {
    const found = JSON.parse(
      await fetchText(`${dashboard}checks${isFresh ? '?fresh=true' : ''}`),
    ) as LocalFinding[]
    return found.filter(({ code }) => isCheckCode(code))
  } catch {
    return null
  }
}

/** Does not verify the certificate, which is for the public name: the connection stays on this machine. */
function fetchText(url: string): Promise<string> {
  const options = { signal: AbortSignal.timeout(timeoutMs), agent: false as const }
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? getHttps(url, { ...options, rejectUnauthorized: false })
      : getHttp(url, options)
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxBytes) request.destroy(new Error('The response is too long.'))
      })
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`Status ${response.statusCode}`)),
      )
    })
  })
}
