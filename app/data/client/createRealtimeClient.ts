import { RealtimeClient } from '@supabase/realtime-js'
import type { Client } from './createSessionClient.ts'
import heartbeatUrl from './heartbeat.worker.ts?worker&url'
import { reconnectAfterMs } from './reconnectAfterMs.ts'
import type { Settings } from './settings.ts'

/** The realtime client of the signed-in user. A worker times its heartbeats. */
export function createRealtimeClient({ url, key }: Settings, client: Client): RealtimeClient {
  const realtime = new RealtimeClient(`${url.replace(/^http/, 'ws')}/realtime/v1`, {
    params: { apikey: key },
    accessToken: client.accessToken,
    worker: true,
    workerUrl: heartbeatUrl,
    reconnectAfterMs,
  })
  // The server ends the subscriptions of a token that has expired: joined channels need each new one.
  client.auth.onAuthStateChange((_event, session) => {
    void realtime.setAuth(session?.access_token)
  })
  return realtime
}
