import type { StorageLoader } from './storageLoader.ts'

/** Those who are compared, and the process that asks them. */
export interface StorageBench {
  loader: StorageLoader
  house: {
    url: string
    dbUrl: string
    /** Of the server's process. */
    pid: number
    supabaseDir: string
    /** Of requests in the person's name. */
    headers: Record<string, string>
  }
  bare: {
    url: string
    dir: string
    /** Makes a file to be served, of `content` or of so many bytes. */
    fill(name: string, content: number | Buffer): Promise<void>
  }
}
