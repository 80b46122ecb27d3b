import { navigate } from '../../historyState.ts'
import {
  NOTIFICATION_LOCK,
  type OpenPath,
  type PushSubscriptionChanged,
} from '../../worker/workerMessages.ts'
import type { PushNotificationData } from '../../worker/push/pushNotification.ts'
import { readPreference } from '../../devicePreferences.ts'
import { internalPath } from '../session/internalPath.ts'
import { getClientSession, sessionEmitter } from '../session/clientSession.ts'
import { isReminderDue } from '../messages/isReminderDue.ts'
import type { State } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import type { UserEvent } from '../../../wire/events.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import {
  fetchPushKey,
  isOfKey,
  listPushDevices,
  registerPushDevice,
  removePushDevice,
} from './pushDevices.ts'
import { readStoredSubscription } from './storedSubscription.ts'

/** Milliseconds between a change and the check of the displayed notifications. */
const CHECK_AFTER_MS = 500
/** Withdrawn messages that are kept; the oldest are dropped first. */
const MAX_WITHDRAWN = 1_000

let isWatching = false

/**
 * Opens the page to which a notification leads, closes notifications of messages that were read on this or another
 * device or were withdrawn, and keeps the registration of this browser current. Call it once for each page.
 */
export function watchPush(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  if (isWatching || !serviceWorker) return
  isWatching = true
  serviceWorker.addEventListener('message', onMessage)
  if (!('Notification' in globalThis)) return
  watchOutdated()
  void renewRegistration().catch(() => {})
}

function onMessage({ data, ports }: MessageEvent<OpenPath | PushSubscriptionChanged | null>): void {
  if (data?.linnet === 'open-path') {
    navigate(internalPath(data.path))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has none
    ports[0]?.postMessage(true)
  }
  if (data?.linnet === 'push-subscription-changed') void renewRegistration().catch(() => {})
}

/**
 * Registers this browser again if its subscription, the session, the server's key or a setting has changed. Removes
 * the registration if its user no longer permits notifications.
 */
export async function renewRegistration(): Promise<void> {
  const stored = readStoredSubscription()
  if (!stored || stored.profile !== getClientSession()?.store.get().me?.profile.id) return
  if (Notification.permission !== 'granted') {
    await removePushDevice(stored.id)
    return
  }
  const [registration, key, devices] = await Promise.all([
    navigator.serviceWorker.ready,
    fetchPushKey(),
    listPushDevices(),
  ])
  if (!devices.ok) return
  const subscription = await registration.pushManager.getSubscription()
  const isCurrent =
    subscription?.endpoint === stored.endpoint &&
    isOfKey(subscription, key) &&
    devices.value.some(
      ({ id, current, hides_content }) =>
        current && id === stored.id && hides_content === readPreference('notifications').hidesContent,
    )
  if (!isCurrent) await registerPushDevice()
}

/**
 * Whether the message that a notification displays has been read. A count of zero unread messages proves nothing,
 * because the message may not have arrived in this page yet. So if the page has no rows of the conversation, only
 * notifications from before the page was opened count as read.
 * @param openedAt when the page was opened, in milliseconds
 */
export function isRead(
  { channels, threads, workspaces }: Pick<State, 'channels' | 'threads' | 'workspaces'>,
  { channel, thread, seq, shownAt }: PushNotificationData,
  openedAt: number,
): boolean {
  const entry = channels.get(channel ?? '')?.entry
  // It may be in another workspace.
  if (!entry) return workspaces.length <= 1 && shownAt < openedAt
  const marker = thread === null ? entry.state.last_read_seq : threads.get(thread)?.last_read_thread_seq
  return seq !== null && marker !== undefined && marker >= seq
}

/**
 * Whether a notification displays a message that was deleted, or that was edited so that it no longer notifies its
 * reader.
 * @param withdrawn the messages whose deletion or edit the server has announced
 */
export function isWithdrawn(
  { channels }: Pick<State, 'channels'>,
  { channel, messages = [] }: Pick<PushNotificationData, 'channel'> & { messages?: readonly Uuid[] },
  withdrawn: ReadonlySet<Uuid>,
): boolean {
  const loaded = channels.get(channel ?? '')?.messages
  return messages.some((id) => withdrawn.has(id) || typeof loaded?.get(id)?.deleted_at === 'string')
}

/** Adds to the withdrawn messages what an event of the user's topic announces. Returns whether one was added. */
export function addWithdrawn(withdrawn: Set<Uuid>, { event, payload }: UserEvent): boolean {
  if (event !== 'message_deleted' && event !== 'message_edited') return false
  withdrawn.delete(payload.message_id)
  if (event === 'message_edited' && payload.notifies) return false
  withdrawn.add(payload.message_id)
  const [oldest] = withdrawn
  if (withdrawn.size > MAX_WITHDRAWN) withdrawn.delete(oldest!)
  return true
}

/** Closes the notifications of read conversations and of withdrawn messages. */
function watchOutdated(): void {
  const withdrawn = new Set<Uuid>()
  let watched: Store | null = null
  let unwatch: (() => void) | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  const check = async (): Promise<void> => {
    if (Notification.permission !== 'granted') return
    const state = getClientSession()?.store.get()
    if (state && state.source !== 'live') return
    const registration = await navigator.serviceWorker.getRegistration()
    const list = () => registration?.getNotifications()
    for (const shown of (await navigator.locks.request(NOTIFICATION_LOCK, list)) ?? []) {
      const data = shown.data as PushNotificationData | null
      if (!data?.channel && !data?.reminder) continue
      if (!state || (data.reminder && !isReminderDue(state, data.reminder))) {
        shown.close()
        continue
      }
      const isOutdated = isRead(state, data, performance.timeOrigin) || isWithdrawn(state, data, withdrawn)
      if (!data.reminder && isOutdated) shown.close()
    }
  }
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = null
      void check().catch(() => {})
    }, CHECK_AFTER_MS)
  }
  /** The events of the current session, which another one replaces when another workspace is shown. */
  const watchEvents = (): void => {
    const store = getClientSession()?.store ?? null
    if (store === watched) return
    unwatch?.()
    watched = store
    unwatch =
      store?.watch((event) => {
        if (event.type === 'userEventReceived' && addWithdrawn(withdrawn, event.event)) schedule()
      }) ?? null
  }
  sessionEmitter.subscribe(() => {
    watchEvents()
    schedule()
  })
  watchEvents()
  schedule()
}
