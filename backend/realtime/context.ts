import type { ClientConfig } from 'pg'
import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { Budget } from '../budgets/createBudget.ts'
import type { FairScheduler } from '../budgets/createFairScheduler.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { Authorizer } from './authorization/authorizer.ts'
import type { RealtimePlugin } from './RealtimePlugin.ts'
import type { Hub } from './hub.ts'
import type { WalReader } from './wal/walReader.ts'
import type { MessageStore } from './broadcast/messageStore.ts'
import type { RateShares } from './rateShares.ts'
import type { RealtimeSettings } from './settings.ts'
import type { ChannelIndex } from './authorization/channelIndex.ts'

/** The components that connections, channels and plugins share. */
export interface RealtimeContext {
  settings: RealtimeSettings
  pool: Pool
  /** For connections that read the WAL. */
  replication: ClientConfig
  verifyToken: VerifyToken
  authorizer: Authorizer
  hub: Hub
  channelIndex: ChannelIndex
  walReader: WalReader
  messages: MessageStore
  plugins: readonly RealtimePlugin[]
  joins: RateShares
  /** Messages and their deliveries, by the caller who sends them; those that the database publishes count for the server itself. */
  events: RateShares
  /**
   * Counts messages of the database and their deliveries. Returns false if they exceed the rate of all: they are not
   * delivered then, which is logged.
   */
  takeDatabaseEvents(amount: number, topic: string): boolean
  scheduler: FairScheduler
  /** Bytes that are buffered for connections, in both directions. */
  bufferedBytes: Budget
  /** Connections by the user that they joined as. */
  personConnections: Budget
  log: Logger
}

/** How main.ts registers a plugin. */
export type CreateRealtimePlugin = (context: RealtimeContext) => RealtimePlugin
