import type { StorageLoader } from './storageLoader.ts'

/** The compared servers, and the load process. */
export interface StorageBench {
  loader: StorageLoader
  server: {
    url: string
    dbUrl: string
    /** Of the server's process. */
    pid: number
    supabaseDir: string
    /** Headers of requests as the user. */
    headers: Record<string, string>
  }
  bare: {
    url: string
    dir: string
    /** Creates a file with `content` or of that size. */
    fill(name: string, content: number | Buffer): Promise<void>
  }
}
