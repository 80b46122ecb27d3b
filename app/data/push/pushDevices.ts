import { i18n } from '@lingui/core'
import type { PushSubscriptionRow } from '../../../wire/push.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { toBase64url } from '../client/base64url.ts'
import { callCommand } from '../client/callCommand.ts'
import { startServiceWorker } from '../client/startServiceWorker.ts'
import { loadSettings } from '../client/settings.ts'
import { readPreference, storePreference } from '../../devicePreferences.ts'
import {
  createFailure,
  failureFrom,
  success,
  withoutValue,
  type Failure,
  type Outcome,
} from '../failures/failures.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { readStoredSubscription, storeSubscription } from './storedSubscription.ts'

/** The user's devices that receive push messages, the newest first. */
export function listPushDevices(): Promise<Outcome<PushSubscriptionRow[]>> {
  return callCommand('my_push_subscriptions', {})
}

/** The user's devices, and the id of this one. The browser's storage is read with them, since React does not observe it. */
export const pushDevices = createQuery({
  fetch: async () => {
    const listed = await listPushDevices()
    return listed.ok ? success({ devices: listed.value, own: readStoredSubscription()?.id }) : listed
  },
})

/** Sends a test notification to one of the user's devices. */
export async function sendTestPush(id: Uuid): Promise<Outcome> {
  return withoutValue(await callCommand('test_push', { id }))
}

/** Ends the notifications of a device of the user; of this one also in the browser. */
export async function removePushDevice(id: Uuid): Promise<Outcome> {
  const removed = await callCommand('remove_push_subscription', { id })
  if (!removed.ok) return removed
  if (readStoredSubscription()?.id === id) {
    storeSubscription(null)
    const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined)
    const subscription = await registration?.pushManager.getSubscription().catch(() => null)
    await subscription?.unsubscribe().catch(() => false)
  }
  return refetchAfter(success(undefined), pushDevices)
}

/** Subscribes this browser, after its user has permitted notifications. Call it in the handler of a click. */
export async function addPushDevice(): Promise<Outcome> {
  // Browsers show their question only directly after a click.
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return { ok: false, failure: permissionMissing() }
  return registerPushDevice()
}

/** Subscribes this browser, unless it is subscribed with the server's current key, and registers it with the server. */
export async function registerPushDevice(): Promise<Outcome> {
  const profile = getClientSession()?.store.get().me?.profile.id
  if (profile === undefined) return { ok: false, failure: createFailure('session_ended') }
  let subscription: PushSubscription
  try {
    const key = await fetchPushKey()
    if (!(await startServiceWorker())) return { ok: false, failure: subscribingFailed() }
    subscription = await subscribe(await navigator.serviceWorker.ready, key)
  } catch (error) {
    if (!(error instanceof DOMException)) return { ok: false, failure: failureFrom(error) }
    const isDenied = error.name === 'NotAllowedError'
    return { ok: false, failure: isDenied ? permissionMissing() : subscribingFailed() }
  }
  const stored = readStoredSubscription()
  const id = stored?.profile === profile ? stored.id : crypto.randomUUID()
  const { endpoint } = subscription
  const keyOf = (name: PushEncryptionKeyName) => toBase64url(subscription.getKey(name) ?? new ArrayBuffer(0))
  const added = await callCommand('add_push_subscription', {
    id,
    endpoint,
    p256dh: keyOf('p256dh'),
    auth: keyOf('auth'),
    device: navigator.userAgent.slice(0, 300),
    language: i18n.locale,
    hides_content: readPreference('notifications').hidesContent,
  })
  if (!added.ok) return added
  storeSubscription({ id, profile, endpoint })
  return refetchAfter(success(undefined), pushDevices)
}

/** Changes whether notifications of this device hide what messages say; of those of its service worker, too. */
export async function changeHidesContent(hidesContent: boolean): Promise<Outcome> {
  storeHidesContent(hidesContent)
  if (!readStoredSubscription()) return success(undefined)
  const registered = await registerPushDevice()
  if (!registered.ok) storeHidesContent(!hidesContent)
  return registered
}

/** Whether a subscription was created with this key of the server. */
export function isOfKey({ options }: Pick<PushSubscription, 'options'>, key: string): boolean {
  return toBase64url(options.applicationServerKey ?? new ArrayBuffer(0)) === key
}

function storeHidesContent(hidesContent: boolean): void {
  storePreference('notifications', { ...readPreference('notifications'), hidesContent })
}

async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  applicationServerKey: string,
): Promise<PushSubscription> {
  const existing = await pushManager.getSubscription()
  if (existing && isOfKey(existing, applicationServerKey)) return existing
  // A browser refuses another key while it is subscribed with the old one.
  await existing?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

/** The key by which push services recognise the server (VAPID), base64url. Rejects if it can't be read. */
export async function fetchPushKey(): Promise<string> {
  const { url, key } = await loadSettings()
  const request = () => fetch(`${url}/functions/v1/push`, { headers: { apikey: key } })
  let response = await request()
  // A function that has just been started may not respond in time.
  if (response.status >= 500) response = await request()
  const { key: pushKey } = (response.ok ? await response.json() : {}) as { key?: unknown }
  if (typeof pushKey !== 'string') throw Object.assign(new Error('no push key'), { status: response.status })
  return pushKey
}

function permissionMissing(): Failure {
  const message = i18n._('The browser doesn’t allow Linnet to show notifications.')
  return { name: 'push_permission_missing', message, isRetryable: true }
}

function subscribingFailed(): Failure {
  const message = i18n._(
    'The browser couldn’t connect to its notification service. Private windows have none. In Brave, turn on “Use Google services for push messaging” under Privacy and security. A firewall may block the service too.',
  )
  return { name: 'push_subscribing_failed', message, isRetryable: true }
}
