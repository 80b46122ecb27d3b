import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  headerOf,
  OutboundError,
  type OutboundResponse,
  type OutboundResponseHead,
  sendOutbound,
} from '../../runtime/outbound/sendOutbound.ts'
import { AuthError } from '../http/AuthError.ts'
import type { HookLimits } from './createHooks.ts'
import type { HookTarget } from './parseHookTarget.ts'

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
      if (!isRetryRequested(response)) return readResponse(response)
    } catch (error) {
      if (error instanceof AuthError) throw error
      if (error instanceof OutboundError && error.reason === 'size') {
        const message = `Payload size exceeded size limit of ${maxResponseBytes} bytes`
        throw new AuthError(422, 'hook_payload_over_size_limit', message)
      }
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

function post(
  { url, secrets }: HookTarget & { kind: 'http' },
  payload: string,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  return sendOutbound({
    url: url.href,
    method: 'POST',
    headers: Object.entries({
      'content-type': 'application/json',
      // Compressed, a small response could expand to a large one.
      'accept-encoding': 'identity',
      ...signHook(secrets, { id: randomUUID(), at: new Date(), payload }),
    }),
    body: payload,
    maxRedirects: 0,
    maxResponseBytes,
    readsBody: (head) => isAccepted(head) && isJson(head),
    signal,
  })
}

/** Whether the response requests a retry. */
function isRetryRequested(response: OutboundResponseHead): boolean {
  return [429, 503].includes(response.status) && Boolean(headerOf(response, 'retry-after'))
}

const isAccepted = ({ status }: OutboundResponseHead): boolean => status === 200 || status === 202

function isJson(response: OutboundResponseHead): boolean {
  const type = headerOf(response, 'content-type') ?? ''
  return type.split(';')[0]!.trim().toLowerCase() === 'application/json'
}

function readResponse(response: OutboundResponse): string | null {
  const { status } = response
  if (status === 204) return null
  if (!isAccepted(response)) {
    throw new AuthError(500, 'unexpected_failure', errorMessages[status] ?? unexpectedStatus(status))
  }
  if (!isJson(response)) {
    const type = headerOf(response, 'content-type')
    const message = type
      ? `Invalid JSON response. Received content-type: ${type}`
      : 'Invalid Content-Type: Missing Content-Type header'
    throw new AuthError(400, 'hook_payload_invalid_content_type', message)
  }
  return response.body.toString('utf8')
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

/**
 * The headers that authenticate a call, after https://www.standardwebhooks.com: one signature per secret, so
 * that a secret can be replaced while both are valid.
 * @param o.at time of sending
 */
function signHook(
  secrets: Buffer[],
  o: { id: string; at: Date; payload: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(o.at.getTime() / 1000))
  const sign = (secret: Buffer): string =>
    `v1,${createHmac('sha256', secret).update(`${o.id}.${timestamp}.${o.payload}`).digest('base64')}`
  return {
    'webhook-id': o.id,
    'webhook-timestamp': timestamp,
    // Separated by a comma as on hosted Supabase; verification libraries accept it.
    'webhook-signature': secrets.map(sign).join(', '),
  }
}
