import type { RealtimeChannel, RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import type { JsonFrame } from '../../../wire/realtime.ts'
import type { Version } from '../../../wire/payloadText.ts'
import { joined } from './channelEvents.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import type { TestRealtime } from './startRealtime.ts'

/** The payload that realtime-js passes to a listener. */
export type Change = RealtimePostgresChangesPayload<Record<string, unknown>>

/** The `data` of an event on the wire. */
export interface WireChange {
  schema: string
  table: string
  type: string
  commit_timestamp: string | null
  columns: { name: string; type: string }[]
  record?: Record<string, unknown>
  old_record?: Record<string, unknown>
  errors: string[] | null
}

/** Received and future changes. */
export interface ChangeListener {
  changes: Change[]
  /** Resolves with the first matching one, received or future. */
  find(fits: (change: Change) => boolean): Promise<Change>
  channel: RealtimeChannel
}

type Client = Awaited<ReturnType<TestRealtime['client']>>

/** Subscribes by supabase-js; resolves once the subscription is active. */
export async function listen(
  client: Client,
  topic: string,
  filter: Record<string, unknown>,
): Promise<ChangeListener> {
  const changes: Change[] = []
  let seekers: ((change: Change) => void)[] = []
  const channel = client.channel(topic, { config: { postgres_changes_options: { wait: true } } })
  channel.on('postgres_changes', { schema: 'public', event: '*', ...filter } as never, (change: Change) => {
    changes.push(change)
    for (const seek of seekers) seek(change)
  })
  await joined(channel)
  return {
    changes,
    channel,
    find: (fits) =>
      new Promise((resolve) => {
        const found = changes.find(fits)
        if (found) return resolve(found)
        const seek = (change: Change): void => {
          if (!fits(change)) return
          seekers = seekers.filter((other) => other !== seek)
          resolve(change)
        }
        seekers.push(seek)
      }),
  }
}

/** Joins with a raw socket; resolves with the `system` message about changes. */
export async function joinRaw(
  realtime: TestRealtime,
  entries: Record<string, unknown>[],
  { version = '2.0.0' as Version, token = '', topic = 'realtime:changes' } = {},
): Promise<{ raw: RawSocket; reply: unknown; system: unknown }> {
  const raw = await rawSocket(realtime, version)
  const reply = await raw.join(topic, {
    config: { postgres_changes: entries },
    ...(token === '' ? {} : { access_token: token }),
  })
  const system = (await raw.find((frame) => isSystem(frame as JsonFrame))) as JsonFrame
  return { raw, reply, system: system.payload }
}

function isSystem(frame: JsonFrame): boolean {
  return (
    frame.event === 'system' && (frame.payload as { extension?: string }).extension === 'postgres_changes'
  )
}

/** The changes received on a raw socket. */
export function changesOf(raw: RawSocket): { ids: number[]; data: WireChange }[] {
  return raw.frames
    .filter((frame): frame is JsonFrame => !frame.broadcast && frame.event === 'postgres_changes')
    .map((frame) => frame.payload as { ids: number[]; data: WireChange })
}

/** The first matching change on a raw socket, received or future. */
export async function changeOn(
  raw: RawSocket,
  fits: (data: WireChange) => boolean,
): Promise<{ ids: number[]; data: WireChange }> {
  const frame = await raw.find(
    (frame) =>
      !frame.broadcast &&
      frame.event === 'postgres_changes' &&
      fits((frame.payload as { data: WireChange }).data),
  )
  return (frame as JsonFrame).payload as { ids: number[]; data: WireChange }
}
