import type { Credentials } from './credentials.ts'
import type { Connection } from './importTransaction.ts'
import type { ReceiptCounts } from './Receipt.ts'

/** What an import knows about the rows that it has read. */
export interface ImportState {
  database: Connection
  workspaceId: string
  /** Whether the import uses the credentials of the archive. */
  withCredentials: boolean
  /** Profiles of the archive whose account has another profile on this server, with the id of that one. */
  profileIds: Map<string, string>
  /** The accounts of the archive: profile, account and address. */
  accounts: { id: string; profileId: string; email: string; credentials: Credentials | null }[]
  counts(table: string): ReceiptCounts
}
