import type { ClientFrame } from '../../wire/realtime.ts'
import type { Channel, ChannelPlugin } from './sockets/channel.ts'

/** The additions of a plugin to a join. */
export interface JoinAddition {
  /** Additional members of the response. */
  response?: Record<string, unknown>
  /** Called right after the reply was sent. */
  onJoined?: () => void
}

/** The metrics of plugins. They are zero or null without the plugin. */
export interface PluginStats {
  /** The number of frames that were written without the hub. */
  deliveries: number
  /**
   * The number of subscriptions to table changes. The next two are the changes that wait to be sent, and their WAL
   * reader (null without subscriptions).
   */
  subscriptions: number
  changesWaiting: number
  changesWal: { lagBytes: number; delayMs: number; gaps: number } | null
  /** Tracked presences, counted per device. */
  presences: number
}

/** A part of the protocol that the application does not need. main.ts registers the plugins. */
export interface RealtimePlugin extends ChannelPlugin {
  /** The event of clients that `receive` handles, as `receiveEvent` does. */
  event?: string
  receive?(channel: Channel, frame: ClientFrame, size: number): Promise<void> | void
  /** Reads the `config` of a join before its permissions are checked. */
  prepareJoin?(channel: Channel, config: Record<string, unknown>): void
  /** Continues a join whose permissions were checked. Throws JoinRefused. */
  join?(channel: Channel, config: Record<string, unknown>): Promise<JoinAddition>
  /** Called when the topic continues with another token, whose permissions were checked. */
  onNewToken?(channel: Channel): void
  stats(): Partial<PluginStats>
  /** `stop` is called before the connections are closed, and `close` after. */
  stop?(): void
  close?(): Promise<void>
}
