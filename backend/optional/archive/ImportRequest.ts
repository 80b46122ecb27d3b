import type { Client } from 'pg'
import type { ArchiveFile, ArchiveRow } from './ArchiveRow.ts'

/** The part of the services of a project that an import uses, with the secret key. */
export interface ProjectServices {
  /** Stores an object unless it exists. Returns whether it was stored. */
  storeObject(file: ArchiveFile): Promise<boolean>
  /** Creates an account with a confirmed address and no password. Returns its id. */
  createAccount(account: { id: string; email: string }): Promise<string>
}

/** What `importRows` needs. */
export interface ImportRequest {
  /** A connection as the role `postgres` in pipeline mode, which the import uses alone. */
  database: Client
  /** Opens another connection as the role `postgres`, so that two cores compute the terms of the search. */
  connect?(): Promise<Client>
  services: ProjectServices
  /** The workspace of the rows. It is created if the rows contain it. */
  workspaceId: string
  /** Each row comes after the rows that it refers to. The rows of a batch are written table by table. */
  rows: AsyncIterable<ArchiveRow>
  files: AsyncIterable<ArchiveFile>
  /** The attached files of `files`. A workspace that exists must be able to store them, or nothing is written. */
  plannedFiles?: readonly { name: string; bytes: number }[]
  /**
   * Writes all rows in one transaction, so that a refused or interrupted import changes nothing in a workspace that people use. They
   * cannot send messages to the channels that it writes to until it ends.
   */
  isAtomic?: boolean
  /** Uses passwords, second factors, tokens and secrets of the archive, for accounts and integrations that the import creates. */
  withCredentials?: boolean
  /** The workspace exists because an import of the same archive was interrupted: a refusal removes it. */
  isContinued?: boolean
  /** The rows that one transaction writes; 1,000 by default. */
  rowsPerBatch?: number
  onProgress?(progress: { rows: number; files: number }): void
}

/** A service has refused a request, or cannot be reached. The import can continue later. */
export class ServiceError extends Error {}

/** A mistake of an archive, for the person who imports it. */
export class ArchiveError extends Error {}
