/** What an import has done with the rows of a table, or with the files of a bucket. */
export interface ReceiptCounts {
  /** Rows or files that the archive has. */
  read: number
  written: number
  /** Rows or files that an earlier import has written, or that the server had already. */
  present: number
  /** The number of rows or files that are left out, by the reason. */
  skipped: Record<string, number>
}

/** The result of an import. */
export interface Receipt {
  workspaceId: string
  tables: Record<string, ReceiptCounts>
  files: Record<string, ReceiptCounts>
  startedAt: string
  finishedAt: string
}

export const createCounts = (): ReceiptCounts => ({ read: 0, written: 0, present: 0, skipped: {} })
