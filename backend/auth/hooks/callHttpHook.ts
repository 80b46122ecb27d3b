import { randomUUID } from 'node:crypto'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { AuthError } from '../http/AuthError.ts'
import type { HookLimits } from './createHooks.ts'
import type { HookTarget } from './parseHookTarget.ts'
import { signHook } from './signHook.ts'

/** The maximum size of a response. */
const maxResponseBytes = 200 * 1024

/**
 * Calls an HTTP hook and returns the JSON of its response; null for 204. Redirects are not followed: a signed
 * event with its codes must only reach the configured address. The timeout includes DNS resolution, waiting for
 * a slot, and reading the response to its last byte.
 * @param payload the event as JSON
 * @param signal aborted after the timeout of `limits`
 * @throws AuthError with GoTrue's codes
 */
export async function callHttpHook(
  target: HookTarget & { kind: 'http' },
  payload: string,
  limits: HookLimits,
  signal: AbortSignal = AbortSignal.timeout(limits.timeout),
): Promise<string | null> {
  for (let attempt = 1; attempt <= limits.attempts; attempt++) {
    try {
      const response = await post(target, payload, signal)
      if (!isRetryRequested(response)) return await readResponse(response)
      response.destroy()
    } catch (error) {
      if (error instanceof AuthError) throw error
      if (signal.aborted) throw hookTimeout(limits, error)
      if (attempt === limits.attempts) {
        const message = 'Failed to reach hook after maximum retries'
        throw new AuthError(422, 'hook_timeout_after_retry', message, { cause: error })
      }
      await wait(limits.backoff, undefined, { signal }).catch(() => {
        throw hookTimeout(limits, error)
      })
    }
  }
  throw new AuthError(500, 'unexpected_failure', 'Service currently unavailable due to hook')
}

export function hookTimeout(limits: HookLimits, cause: unknown): AuthError {
  const message = `Failed to reach hook within maximum time of ${(limits.timeout / 1000).toFixed(6)} seconds`
  return new AuthError(422, 'hook_timeout', message, { cause })
}

/** Uses a new connection: a kept-alive one may just be closed by the server, and a retry costs a pause. */
function post(
  { url, secrets }: HookTarget & { kind: 'http' },
  payload: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    request(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        // Compressed, a small response could expand to a large one.
        'accept-encoding': 'identity',
        ...signHook(secrets, { id: randomUUID(), at: new Date(), payload }),
      },
    })
      .on('response', resolve)
      .on('error', reject)
      .end(payload)
  })
}

/** Whether the response requests a retry. */
function isRetryRequested(response: IncomingMessage): boolean {
  return [429, 503].includes(response.statusCode!) && Boolean(response.headers['retry-after'])
}

async function readResponse(response: IncomingMessage): Promise<string | null> {
  const status = response.statusCode!
  if (status === 204 || (status !== 200 && status !== 202)) {
    response.destroy()
    if (status === 204) return null
    throw new AuthError(500, 'unexpected_failure', errorMessages[status] ?? unexpectedStatus(status))
  }
  const type = response.headers['content-type'] ?? ''
  if (type.split(';')[0]!.trim().toLowerCase() !== 'application/json') {
    response.destroy()
    const message =
      type === ''
        ? 'Invalid Content-Type: Missing Content-Type header'
        : `Invalid JSON response. Received content-type: ${type}`
    throw new AuthError(400, 'hook_payload_invalid_content_type', message)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxResponseBytes) {
      const message = `Payload size exceeded size limit of ${maxResponseBytes} bytes`
      throw new AuthError(422, 'hook_payload_over_size_limit', message)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const errorMessages: Record<number, string> = {
  400: 'Invalid payload sent to hook',
  401: 'Hook requires authorization token',
  429: 'Service currently unavailable due to hook',
  503: 'Service currently unavailable due to hook',
}

function unexpectedStatus(status: number): string {
  return `Unexpected status code returned from hook: ${status}`
}
