import type { ClientFrame } from '../../wire/realtime.ts'
import type { Channel, ChannelPlugin } from './sockets/channel.ts'

/** What a plugin adds to a join. */
export interface JoinAddition {
  /** Members of the response. */
  response?: Record<string, unknown>
  /** Called right after the reply was sent. */
  onJoined?: () => void
}

/** Metrics of plugins: zero, or null, without the plugin. */
export interface PluginStats {
  /** Frames that were written without the hub. */
  deliveries: number
  /** Subscriptions to table changes, changes that wait to be sent, and their WAL reader: null without subscriptions. */
  subscriptions: number
  changesWaiting: number
  changesWal: { lagBytes: number; delayMs: number; gaps: number } | null
  /** Tracked presences, counted per device. */
  presences: number
}

/** A part of the protocol that the application does not need; main.ts registers it. */
export interface RealtimePlugin extends ChannelPlugin {
  /** The event of clients that `receive` handles, as `receiveEvent` does. */
  event?: string
  receive?(channel: Channel, frame: ClientFrame, size: number): Promise<void> | void
  /** Reads the `config` of a join before its permissions are checked. */
  prepareJoin?(channel: Channel, config: Record<string, unknown>): void
  /** Continues a join whose permissions were checked. Throws JoinRefused. */
  join?(channel: Channel, config: Record<string, unknown>): Promise<JoinAddition>
  /** The topic continues with another token, whose permissions were checked. */
  onNewToken?(channel: Channel): void
  stats(): Partial<PluginStats>
  /** Called before the connections are closed, and after. */
  stop?(): void
  close?(): Promise<void>
}
