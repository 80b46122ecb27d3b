import type { ClientConfig } from 'pg'
import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { Budget } from '../budgets/createBudget.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { Authorizer } from './authorization/authorizer.ts'
import type { RealtimePlugin } from './RealtimePlugin.ts'
import type { Hub } from './hub.ts'
import type { WalReader } from './wal/walReader.ts'
import type { MessageStore } from './broadcast/messageStore.ts'
import type { RateCounter } from './rateCounter.ts'
import type { RateShares } from './rateShares.ts'
import type { RealtimeSettings } from './settings.ts'
import type { FrameScheduler } from './sockets/createFrameScheduler.ts'
import type { UserIndex } from './authorization/userIndex.ts'

/** The components that connections, channels and plugins share. */
export interface RealtimeContext {
  settings: RealtimeSettings
  pool: Pool
  /** For connections that read the WAL. */
  replication: ClientConfig
  verifyToken: VerifyToken
  authorizer: Authorizer
  hub: Hub
  users: UserIndex
  walReader: WalReader
  messages: MessageStore
  plugins: readonly RealtimePlugin[]
  /** Messages sent and deliveries. */
  events: RateCounter
  joins: RateShares
  /** Messages that clients send, and their deliveries, by caller. */
  clientEvents: RateShares
  frameScheduler: FrameScheduler
  /** Bytes that are buffered for connections, in both directions. */
  buffered: Budget
  /** Connections by the user that they joined as. */
  personConnections: Budget
  log: Logger
}

/** How main.ts registers a plugin. */
export type CreateRealtimePlugin = (context: RealtimeContext) => RealtimePlugin
