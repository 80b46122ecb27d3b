import { useSyncExternalStore } from 'react'
import {
  readPreference,
  storePreference,
  watchPreferences,
  type PREFERENCES,
} from '../../devicePreferences.ts'

/** A preference of this device, and the function that stores another value. */
export function useDevicePreference<N extends keyof typeof PREFERENCES>(name: N) {
  const value = useSyncExternalStore(watchPreferences, () => readPreference(name))
  return [value, (next: typeof value) => void storePreference(name, next)] as const
}
