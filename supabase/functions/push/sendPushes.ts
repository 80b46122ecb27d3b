import { OutboundError } from '../../../backend/runtime/outbound/sendOutbound.ts'
import { encodeBase64url } from './base64url.ts'
import type { Poster } from './createPoster.ts'
import { createMessageSecrets, encryptPayload, type SubscriptionKeys } from './encryptPayload.ts'
import { notificationPayload, type Content } from './notification.ts'

/** A notification for one device, as `claim_pushes` returns it. */
export interface ClaimedPush extends SubscriptionKeys {
  jobs: string[]
  subscription: string
  endpoint: string
  /** Whether the push service refused more. */
  short: boolean
  content: Content
}

/** What became of it, as `finish_pushes` accepts it. */
export interface PushResult {
  jobs: string[]
  subscription: string
  tag: string
  message: string | null
  close: string[]
  short: boolean
  /** Of the push service; 0: it could not be reached. 403: also if this server must not connect to it. */
  status: number
  /** Seconds after which it accepts more; null: unknown. */
  retry_after: number | null
  /** Why it was not accepted: see the column `push_subscriptions.problem`. */
  problem: string | null
}

export interface PushPorts extends Pick<Poster, 'post'> {
  /** The `Authorization` header for an endpoint. */
  authorization(endpoint: string): Promise<string>
  /** Where browsers report that they showed a notification. */
  reportUrl: string
  /** The address of the application, without a trailing slash; null: it is not known, so no message is declarative. */
  siteUrl: string | null
}

/** Whether the browsers of a push service know declarative messages. Older versions of Safari pass them to the worker. */
function isDeclarative(endpoint: string): boolean {
  return /^https:\/\/[^/@]+\.push\.apple\.com(:\d+)?\//.test(endpoint)
}

const maxConcurrent = 40
/** For how long a push service stores a message for a browser that is offline. */
const ttlSeconds = 24 * 3600

/** Sends all, 40 at a time, and returns a result for each; does not reject. */
export async function sendPushes(pushes: ClaimedPush[], ports: PushPorts): Promise<PushResult[]> {
  const results: PushResult[] = []
  const waiting = pushes.values()
  const sendNext = async (): Promise<void> => {
    for (const push of waiting) {
      const { jobs, subscription, short, content } = push
      results.push({
        jobs,
        subscription,
        short,
        tag: content.tag,
        message: content.message ?? null,
        close: content.close ?? [],
        ...(await sendPush(push, ports)),
      })
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, sendNext))
  return results
}

type Outcome = Pick<PushResult, 'status' | 'retry_after' | 'problem'>

async function sendPush(push: ClaimedPush, ports: PushPorts): Promise<Outcome> {
  const { endpoint, content } = push
  const site = isDeclarative(endpoint) ? ports.siteUrl : null
  let body: Uint8Array<ArrayBuffer>
  try {
    const payload = notificationPayload(content, { report: ports.reportUrl, site }, push.short)
    body = await encryptPayload(payload, push, await createMessageSecrets())
  } catch {
    // Its public key is no point of the curve: nobody can read what is sent to it.
    return { status: 410, retry_after: null, problem: 'keys' }
  }
  try {
    const headers = {
      authorization: await ports.authorization(endpoint),
      'content-encoding': 'aes128gcm',
      'content-type': site === null ? 'application/octet-stream' : 'application/notification+json',
      ttl: String(ttlSeconds),
      urgency: content.urgent ? 'high' : 'normal',
      topic: await topicOf(push),
    }
    const { status, retryAfter } = await ports.post(endpoint, headers, body)
    const isAccepted = status >= 200 && status < 300
    return { status, retry_after: secondsOf(retryAfter), problem: isAccepted ? null : `status ${status}` }
  } catch (error) {
    const isRefused = error instanceof OutboundError && ['refused', 'url', 'scheme'].includes(error.reason)
    if (isRefused) return { status: 403, retry_after: null, problem: 'refused' }
    return { status: 0, retry_after: null, problem: 'unreachable' }
  }
}

/**
 * Names the conversation, so that a push service stores only its newest message for a browser that is offline: 32
 * characters, which do not tell the service which conversation it is.
 */
async function topicOf({ auth, content }: ClaimedPush): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${auth} ${content.tag}`))
  return encodeBase64url(new Uint8Array(hash)).slice(0, 32)
}

/** Seconds of a `Retry-After` header, which has seconds or a date; null: none. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}
