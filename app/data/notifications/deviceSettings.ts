import { useSyncExternalStore } from 'react'

/** Settings of notifications of this browser. */
export interface DeviceSettings {
  /** Whether a notification plays a sound. */
  sound: boolean
  /** No notifications by the pages of this browser. */
  paused: boolean
  /** Notifications only show that there is something new, also those of the service worker. */
  hidesContent: boolean
  /** Whether the user has accepted or dismissed the offer of notifications, which is made once. */
  isOfferClosed: boolean
}

const KEY = 'linnet.notifications'
const DEFAULT: DeviceSettings = { sound: true, paused: false, hidesContent: false, isOfferClosed: false }

let read: { text: string | null; settings: DeviceSettings } = { text: null, settings: DEFAULT }
const listeners = new Set<() => void>()

/** The settings chosen in this browser, also in another tab. The same object until they change. */
export function readDeviceSettings(): DeviceSettings {
  try {
    const text = localStorage.getItem(KEY)
    if (text !== read.text) {
      read = { text, settings: { ...DEFAULT, ...(JSON.parse(text ?? '{}') as Partial<DeviceSettings>) } }
    }
  } catch {
    // Storage may be unavailable or contain something else: what was read last stays.
  }
  return read.settings
}

export function saveDeviceSettings(change: Partial<DeviceSettings>): void {
  const settings = { ...readDeviceSettings(), ...change }
  try {
    localStorage.setItem(KEY, JSON.stringify(settings))
  } catch {
    // Applied all the same, until the page is closed.
    read = { ...read, settings }
  }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

export function useDeviceSettings(): DeviceSettings {
  return useSyncExternalStore(subscribe, readDeviceSettings)
}
