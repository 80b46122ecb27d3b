import type { VerifyToken } from '../../wire/claims.ts'
import type { Log } from '../log/log.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import type { Authoriser } from './rights/authoriser.ts'
import type { Changes } from './changes/createChanges.ts'
import type { Hub } from './hub.ts'
import type { LogReader } from './log/logReader.ts'
import type { MessageStore } from './broadcast/messageStore.ts'
import type { Presence } from './presence/presence.ts'
import type { RateCounter } from './rateCounter.ts'
import type { RealtimeSettings } from './settings.ts'
import type { UserIndex } from './rights/userIndex.ts'

/** The parts that connections and channels share. */
export interface RealtimeContext {
  settings: RealtimeSettings
  pool: Pool
  verifyToken: VerifyToken
  authoriser: Authoriser
  hub: Hub
  presence: Presence
  users: UserIndex
  logReader: LogReader
  messages: MessageStore
  changes: Changes
  /** Messages sent and deliveries. */
  events: RateCounter
  joins: RateCounter
  presenceEvents: RateCounter
  log: Log
}
