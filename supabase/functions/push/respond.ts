import type { Poster } from './createPoster.ts'
import { sendPushes, type ClaimedPush, type PushResult } from './sendPushes.ts'
import { createVapidKeys, createVapidSigner, type VapidKeys } from './vapid.ts'

/** What the database stores for this function. */
export interface StoredKeys {
  keys: VapidKeys | null
  contact: string | null
  /** Destinations that may be requested although they are not public. */
  allowed: string[]
}

export interface Ports {
  /** Whether the database calls. */
  isTask(request: Request): Promise<boolean>
  /** The stored keys, and `made` if there were none. */
  keys(made: VapidKeys | null): Promise<StoredKeys>
  createPoster(allowed: string[]): Poster
  claim(): Promise<ClaimedPush[]>
  finish(results: PushResult[]): Promise<void>
  /** Rejects with `not_allowed` where the token is not one of a device. */
  report(token: string, message: string | null): Promise<void>
  /** The address of this server for browsers, without a trailing slash. */
  publicUrl: string
  /** The address of the application, without a trailing slash; null: it is not known. */
  siteUrl: string | null
}

const maxWaitMs = 1_000
const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }

/**
 * GET returns the public key with which browsers subscribe; the first call makes it. POST of the database sends what is
 * due. POST with `token` is a report of a browser: it showed a notification, or its reader marked `message` as read.
 */
export async function respond(request: Request, ports: Ports): Promise<Response> {
  const json = (body: unknown, status = 200): Response => Response.json(body, { status, headers: cors })
  try {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors })
    if (request.method === 'GET') return json({ key: (await readKeys(ports)).keys.public })
    if (request.method !== 'POST') return json({ error: 'not_allowed' }, 405)
    const { searchParams } = new URL(request.url)
    const token = searchParams.get('token')
    if (token !== null) {
      const message = searchParams.get('message')
      if (message !== null && !isUuid.test(message)) return json({ error: 'bad_request' }, 400)
      await ports.report(token, message)
      return json({})
    }
    if (!(await ports.isTask(request))) return json({ error: 'not_allowed' }, 403)
    const body = (await request.json().catch(() => null)) as { wait_ms?: unknown } | null
    const waitMs = Number(body?.wait_ms ?? 0)
    // Messages that follow at once are claimed by the same call.
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, maxWaitMs)))
    const [pushes, { keys, contact, allowed }] = await Promise.all([ports.claim(), readKeys(ports)])
    if (pushes.length === 0) return json({ sent: 0 })
    const poster = ports.createPoster(allowed)
    try {
      const results = await sendPushes(pushes, {
        post: poster.post,
        authorization: createVapidSigner(keys, contact ?? ports.publicUrl.replace(/^http:/, 'https:')),
        reportUrl: `${ports.publicUrl}/functions/v1/push`,
        siteUrl: ports.siteUrl,
      })
      await ports.finish(results)
      return json({ sent: results.length })
    } finally {
      poster.close()
    }
  } catch (error) {
    // What was claimed is due again when its lease has passed.
    const message = error instanceof Error ? error.message : String(error)
    if (message === 'not_allowed') return json({ error: message }, 403)
    console.error('Notifications were not sent.', message)
    return json({ error: 'unfinished' }, 500)
  }
}

async function readKeys(ports: Ports): Promise<StoredKeys & { keys: VapidKeys }> {
  let stored = await ports.keys(null)
  if (!stored.keys) stored = await ports.keys(await createVapidKeys())
  if (!stored.keys) throw new Error('The keys could not be stored.')
  return { ...stored, keys: stored.keys }
}
