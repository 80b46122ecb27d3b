import type { RealtimeClient } from '@supabase/realtime-js'
import { getClient } from './getClient.ts'
import { loadSettings } from './settings.ts'

let realtime: Promise<RealtimeClient> | null = null

/**
 * The realtime client of the signed-in user. Its library is loaded by the first call: what it receives changes messages that
 * are displayed already. Rejects if it can't be loaded; the next call tries again.
 */
export function getRealtime(): Promise<RealtimeClient> {
  realtime ??= Promise.all([import('./createRealtimeClient.ts'), loadSettings(), getClient()])
    .then(([{ createRealtimeClient }, settings, client]) => createRealtimeClient(settings, client))
    .catch((error: unknown) => {
      realtime = null
      throw error
    })
  return realtime
}

/** Leaves all topics and closes the socket, if it was opened. */
export async function closeRealtime(): Promise<void> {
  await (await realtime?.catch(() => null))?.removeAllChannels()
}
