import type { VerifyToken } from '../../wire/claims.ts'
import type { Logger } from '../logging/logger.ts'
import type { Budget } from '../budgets/createBudget.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { Authorizer } from './authorization/authorizer.ts'
import type { PostgresChanges } from './postgresChanges/createPostgresChanges.ts'
import type { Hub } from './hub.ts'
import type { WalReader } from './wal/walReader.ts'
import type { MessageStore } from './broadcast/messageStore.ts'
import type { Presence } from './presence/presence.ts'
import type { RateCounter } from './rateCounter.ts'
import type { RateShares } from './rateShares.ts'
import type { RealtimeSettings } from './settings.ts'
import type { FrameScheduler } from './sockets/createFrameScheduler.ts'
import type { UserIndex } from './authorization/userIndex.ts'

/** The components that connections and channels share. */
export interface RealtimeContext {
  settings: RealtimeSettings
  pool: Pool
  verifyToken: VerifyToken
  authorizer: Authorizer
  hub: Hub
  presence: Presence
  users: UserIndex
  walReader: WalReader
  messages: MessageStore
  changes: PostgresChanges
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
  /** Tracked presences, and their deliveries, by caller. */
  presenceEvents: RateShares
  log: Logger
}
