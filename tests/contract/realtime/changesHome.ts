import type { RealtimeChannel, RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import type { JsonFrame } from '../../../wire/realtime.ts'
import type { Version } from '../../../wire/payloadText.ts'
import { joined } from './listening.ts'
import { rawSocket, type RawSocket } from './rawSocket.ts'
import type { RealtimeHome } from './realtimeHome.ts'

/** What realtime-js hands to a listener. */
export type Change = RealtimePostgresChangesPayload<Record<string, unknown>>

/** The `data` of an event, as it is on the wire. */
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

/** A listener to changes: those that came, and those to come. */
export interface Listening {
  changes: Change[]
  /** Resolves with the first that fits, among those come and those to come. */
  find(fits: (change: Change) => boolean): Promise<Change>
  channel: RealtimeChannel
}

type Client = Awaited<ReturnType<RealtimeHome['client']>>

/** Subscribes by supabase-js; resolves once changes are told. */
export async function listen(
  client: Client,
  topic: string,
  filter: Record<string, unknown>,
): Promise<Listening> {
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

/** Joins by a raw socket; resolves with the `system` message about changes. */
export async function joinRaw(
  home: RealtimeHome,
  entries: Record<string, unknown>[],
  { version = '2.0.0' as Version, token = '', topic = 'realtime:changes' } = {},
): Promise<{ raw: RawSocket; reply: unknown; system: unknown }> {
  const raw = await rawSocket(home, version)
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

/** The changes that came on a raw socket. */
export function changesOf(raw: RawSocket): { ids: number[]; data: WireChange }[] {
  return raw.frames
    .filter((frame): frame is JsonFrame => !frame.broadcast && frame.event === 'postgres_changes')
    .map((frame) => frame.payload as { ids: number[]; data: WireChange })
}

/** The first change on a raw socket that fits, among those come and those to come. */
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
